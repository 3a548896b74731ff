import {
  type ClusterShare,
  compareFractions,
  type Fraction,
  fractionText,
  partOf,
  percentText,
  productOfFractions,
  sumOfFractions,
  wholeFraction,
} from '#contracts';
import type { Place } from '#contracts/api';
import { quoted } from '../field.js';
import { quantityText } from '../quantity-text.js';
import { type CapacityValue, parseCapacity } from './capacity-value.js';
import { type Keys, scheduler } from './keys.js';
import { listKey, type NamedQueue } from './queue-tree.js';

/** The quota of a queue: amounts if amounts were written here or above, else a share of the cluster. */
export interface QueueCapacities {
  guaranteed?: ReadonlyMap<string, bigint>;
  max?: ReadonlyMap<string, bigint>;
  clusterShare?: ClusterShare;
}

/** A part of known amounts, or of the cluster, whose size is determined for each snapshot. */
interface Part {
  of: 'cluster' | ReadonlyMap<string, bigint>;
  part: Fraction;
}

interface Read {
  value: CapacityValue;
  key: string;
  place: Place;
}

const cluster: Part = { of: 'cluster', part: wholeFraction };
const nothing: Fraction = { numerator: 0n, denominator: 1n };
/** Compared with nothing, so that what is wrong above causes no error below. */
const unknown: Part = { of: 'cluster', part: nothing };

/** YARN tolerates this deviation from 100 in the percentages of siblings, and so does Curtail; it does not change their parts. */
const tolerance: Fraction = { numerator: 5n, denominator: 10_000n };

/**
 * Guaranteed and max of each queue: `capacity` is a part of the parent's guaranteed amounts, `maximum-capacity` of the parent's
 * maximum; both exact, and rounded down once. Root is the whole cluster. docs/reference/configuration.md, "Capacities"
 */
export class Capacities {
  readonly #found = new Map<NamedQueue, QueueCapacities>();
  readonly #zeroSums: boolean;

  constructor(private readonly keys: Keys) {
    const zeroSums = `${scheduler}allow-zero-capacity-sum`;
    this.#zeroSums = keys.truth(zeroSums) ?? keys.isUnreadable(zeroSums);
  }

  read(root: NamedQueue): ReadonlyMap<NamedQueue, QueueCapacities> {
    this.#found.set(root, {});
    this.#checkRoot();
    const top = this.#capacityOf(root, 'maximum-capacity');
    const ceiling =
      top !== undefined && top !== 'unreadable' && top.value.kind === 'percent'
        ? { of: cluster.of, part: top.value.part }
        : cluster;
    this.#children(root, cluster, ceiling);
    return this.#found;
  }

  /** The root queue has the cluster, whatever its properties are. */
  #checkRoot(): void {
    const own = this.#capacityOf(root, 'capacity');
    if (own === undefined || own === 'unreadable') return;
    if (own.value.kind === 'percent' && compareFractions(own.value.part, wholeFraction) !== 0) {
      this.keys.problems.error(own.key, 'root has the whole cluster; write 100, or remove it', own.place);
    }
    if (own.value.kind === 'amounts') {
      const message = 'root has the whole cluster: amounts of its own have no effect';
      this.keys.problems.warning('without-effect', own.key, message, own.place);
    }
  }

  #children(parent: NamedQueue, guaranteed: Part, max: Part): void {
    const written = parent.children.map((child) => this.#capacityOf(child, 'capacity'));
    const capacities = written.map((read) => (read === 'unreadable' ? undefined : read));
    // If one is unreadable, so is the sum.
    const isSumKnown =
      !written.includes('unreadable') && !this.keys.isUnreadable(listKey(parent.writtenPath));
    if (isSumKnown) this.#checkSiblings(parent, capacities, guaranteed);
    const weights = sumOfFractions(
      capacities.map((read) => (read?.value.kind === 'weight' ? read.value.weight : nothing)),
    );
    for (const [index, child] of parent.children.entries()) {
      const value = capacities[index]?.value;
      const isKnown = written[index] !== 'unreadable' && (isSumKnown || value?.kind !== 'weight');
      const own = isKnown ? partFor(value, guaranteed, weights) : unknown;
      const limited = this.#capacityOf(child, 'maximum-capacity');
      const most = limited === 'unreadable' ? undefined : limited;
      const limit = most === undefined ? max : partFor(most.value, max, nothing);
      this.#found.set(child, {
        ...(own.part.numerator === 0n ? {} : amountsAs('guaranteed', own)),
        ...(most === undefined ? {} : amountsAs('max', limit)),
        ...shares(own, most === undefined ? undefined : limit),
      });
      this.#checkBelow(capacities[index] ?? most, own, limit, child);
      if (most !== undefined) this.#checkMax(most, limit, max);
      this.#children(child, own, limit);
    }
  }

  #capacityOf(
    { writtenPath }: { writtenPath: string },
    name: 'capacity' | 'maximum-capacity',
  ): Read | 'unreadable' | undefined {
    const key = `${scheduler}${writtenPath}.${name}`;
    const property = this.keys.take(key);
    if (this.keys.isUnreadable(key)) return 'unreadable';
    // YARN's value for no maximum.
    if (property === undefined || (name === 'maximum-capacity' && /^-1(\.0+)?%?$/.test(property.value)))
      return undefined;
    const parsed = parseCapacity(property.value);
    const isWeight = typeof parsed !== 'string' && parsed.kind === 'weight';
    const value =
      name === 'maximum-capacity' && isWeight ? 'a maximum is a percentage or amounts, no weight' : parsed;
    if (typeof value !== 'string') return { value, key, place: property };
    this.keys.problems.error(key, `${quoted(property.value)} is not a capacity; ${value}`, property);
    return 'unreadable';
  }

  /** All of one form; percentages add up to 100, amounts to at most the parent's. */
  #checkSiblings(parent: NamedQueue, capacities: (Read | undefined)[], guaranteed: Part): void {
    const set = capacities.filter((read) => read !== undefined);
    const last = set.at(-1);
    if (last === undefined) {
      if (parent.children.length > 0) this.#checkSum(parent, nothing, guaranteed, undefined);
      return;
    }
    // A queue with 0 percent has nothing, whichever form its siblings use.
    const kinds = new Set(set.filter(({ value }) => !isZero(value)).map(({ value }) => value.kind));
    if (kinds.size > 1) {
      const message = `the queues of ${parent.path} mix ${[...kinds].map(inWords).join(' and ')}; write all in one form`;
      this.keys.problems.error(last.key, message, last.place);
      return;
    }
    const [kind = 'percent'] = kinds;
    if (kind === 'percent') {
      const total = sumOfFractions(set.map(({ value }) => (value.kind === 'percent' ? value.part : nothing)));
      this.#checkSum(parent, total, guaranteed, last);
    }
    if (kind === 'amounts') this.#checkAmounts(parent, set, guaranteed, last);
  }

  /** A sum of 0 is allowed if the parent has nothing to give, or with `allow-zero-capacity-sum`. */
  #checkSum(parent: NamedQueue, total: Fraction, guaranteed: Part, last: Read | undefined): void {
    const [more, less] =
      compareFractions(total, wholeFraction) > 0 ? [total, wholeFraction] : [wholeFraction, total];
    if (compareFractions(more, sumOfFractions([less, tolerance])) <= 0) return;
    if (total.numerator === 0n && (this.#zeroSums || guaranteed.part.numerator === 0n)) return;
    const list = listKey(parent.writtenPath);
    this.keys.problems.error(
      last?.key ?? list,
      `the capacities of the queues of ${parent.path} add up to ${percentText(total)}; they must add up to 100`,
      last?.place ?? this.keys.get(list) ?? {},
    );
  }

  #checkAmounts(parent: NamedQueue, set: Read[], guaranteed: Part, last: Read): void {
    if (guaranteed.of === 'cluster') return;
    for (const [type, amount] of guaranteed.of) {
      const own = partOf(amount, guaranteed.part);
      const below = set.reduce(
        (total, { value }) => total + (value.kind === 'amounts' ? (value.amounts.get(type) ?? 0n) : 0n),
        0n,
      );
      if (below > own) {
        const message = `the ${type} of the queues of ${parent.path} adds up to ${quantityText(type, below)}, more than its ${quantityText(type, own)}`;
        this.keys.problems.error(last.key, `${message}; lower theirs, or raise it`, last.place);
      }
    }
  }

  #checkBelow(read: Read | undefined, own: Part, limit: Part, { path }: NamedQueue): void {
    if (read === undefined || own.part.numerator === 0n) return;
    if (own.of === 'cluster' && limit.of === 'cluster' && compareFractions(own.part, limit.part) > 0) {
      const [has, most] = [percentText(own.part), percentText(limit.part)];
      this.keys.problems.error(
        read.key,
        `${path} is guaranteed ${has} % of the cluster and limited to ${most} %; raise maximum-capacity, or lower capacity`,
        read.place,
      );
    }
    for (const type of exceeding(own, limit)) {
      const message = `${path} is guaranteed more ${type} than its maximum; raise maximum-capacity, or lower capacity`;
      this.keys.problems.error(read.key, message, read.place);
    }
  }

  #checkMax({ key, place, value }: Read, limit: Part, above: Part): void {
    if (value.kind !== 'amounts') return;
    for (const type of exceeding(limit, above)) {
      this.keys.problems.error(
        key,
        `the maximum of ${type} is above that of the queue above; write at most that`,
        place,
      );
    }
  }
}

const root = { writtenPath: 'root' };

/** Resolves a capacity. Absent means no guarantee. */
function partFor(value: CapacityValue | undefined, of: Part, weights: Fraction): Part {
  switch (value?.kind) {
    case 'amounts':
      return { of: value.amounts, part: wholeFraction };
    case 'percent':
      return { of: of.of, part: productOfFractions(of.part, value.part) };
    case 'weight': {
      if (weights.numerator === 0n) return { of: of.of, part: nothing };
      const part = { numerator: weights.denominator, denominator: weights.numerator };
      return { of: of.of, part: productOfFractions(of.part, productOfFractions(value.weight, part)) };
    }
    default:
      return { of: of.of, part: nothing };
  }
}

function amountsOf({ of, part }: Part): Map<string, bigint> | undefined {
  return of === 'cluster'
    ? undefined
    : new Map([...of].map(([type, amount]) => [type, partOf(amount, part)]));
}

function amountsAs(name: 'guaranteed' | 'max', part: Part): QueueCapacities {
  const amounts = amountsOf(part);
  return amounts === undefined ? {} : { [name]: amounts };
}

function shares(own: Part, limit: Part | undefined): QueueCapacities {
  const clusterShare = {
    ...(own.of === 'cluster' && own.part.numerator > 0n ? { guaranteed: fractionText(own.part) } : {}),
    ...(limit?.of === 'cluster' ? { max: fractionText(limit.part) } : {}),
  };
  return Object.keys(clusterShare).length > 0 ? { clusterShare } : {};
}

/** The types in which `a` exceeds `b`, if both are amounts. */
function exceeding(a: Part, b: Part): string[] {
  const [left, right] = [amountsOf(a), amountsOf(b)];
  if (left === undefined || right === undefined) return [];
  return [...left].flatMap(([type, amount]) => {
    const most = right.get(type);
    return most !== undefined && amount > most ? [type] : [];
  });
}

const isZero = (value: CapacityValue): boolean => value.kind === 'percent' && value.part.numerator === 0n;

const inWords = (kind: CapacityValue['kind']): string =>
  ({ percent: 'percentages', weight: 'weights', amounts: 'amounts' })[kind];
