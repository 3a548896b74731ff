import {
  careProperties,
  fieldPath,
  InputError,
  isObject,
  parseMinRun,
  parseQuantity,
  parseShare,
  quantitiesOfText,
  sharesFault,
  shown,
  textOfNumber,
  type WrittenScalar,
  wantedQuantities,
} from '#contracts';
import { type Fields, isAbsent } from '../../fields.js';
import type { Snapshot } from '../../snapshot/columns.js';

/** The most that a queue may give in a plan, by type of the snapshot. */
export interface QueueLimit {
  readonly type: readonly number[];
  readonly amount: readonly number[];
}

/** The properties of queues for victim care, each null where no queue has it: docs/reference/policies/victim-care.md §1. */
export interface QueueCareColumns {
  /** Milliseconds by queue, of the nearest queue of its chain that has one; -1 = none has. */
  readonly minRun: Float64Array | null;
  /** Percent by queue; -1 = none. */
  readonly share: Int8Array | null;
  /** By queue; undefined = none. Types that nothing in the snapshot has are left out. */
  readonly limit: readonly (QueueLimit | undefined)[] | null;
}

export function readQueueCare(snapshot: Snapshot): QueueCareColumns {
  const { count, parent, dynamic, inputPlace, properties } = snapshot.queues;
  let minRun: Float64Array | null = null;
  let share: Int8Array | null = null;
  let limit: (QueueLimit | undefined)[] | null = null;
  for (let q = 0; q < count; q++) {
    const given = properties[q];
    if (typeof given !== 'object' || given === null) continue;
    const at = (name: string): string => fieldPath(`queues[${inputPlace[q]}].properties`, name);
    const minRunOf = (given as Fields)[careProperties.minRun];
    if (!isAbsent(minRunOf)) {
      minRun ??= new Float64Array(count).fill(-1);
      minRun[q] = parseMinRun(scalarAt(minRunOf, at(careProperties.minRun)), at(careProperties.minRun));
    }
    const shareOf = (given as Fields)[careProperties.share];
    if (!isAbsent(shareOf)) {
      share ??= new Int8Array(count).fill(-1);
      share[q] = parseShare(scalarAt(shareOf, at(careProperties.share)), at(careProperties.share));
    }
    const limitOf = (given as Fields)[careProperties.limit];
    if (!isAbsent(limitOf)) {
      limit ??= new Array<QueueLimit | undefined>(count);
      limit[q] = readLimit(limitOf, at(careProperties.limit), snapshot.typeNumber);
    }
  }
  if (minRun !== null) {
    // Parents come before their children.
    for (let q = 0; q < count; q++) {
      if (minRun[q] === -1 && parent[q]! >= 0) minRun[q] = minRun[parent[q]!]!;
    }
  }
  if (share !== null) {
    for (let q = 0; q < count; q++) if (dynamic[q] === true) share[q] = -1;
    checkShares(snapshot, share);
  }
  return { minRun, share, limit };
}

/** In the order of the input, as a configuration is checked in the order of its list. */
function checkShares({ queues }: Snapshot, share: Int8Array): void {
  const sums = new Map<number, number>();
  const listed = [...share.keys()].filter((q) => share[q]! >= 0 && queues.parent[q]! >= 0);
  for (const q of listed.sort((a, b) => queues.inputPlace[a]! - queues.inputPlace[b]!)) {
    const sum = (sums.get(queues.parent[q]!) ?? 0) + share[q]!;
    sums.set(queues.parent[q]!, sum);
    const fault = sharesFault(sum);
    if (fault === undefined) continue;
    throw new InputError(
      fieldPath(`queues[${queues.inputPlace[q]}].properties`, careProperties.share),
      fault,
    );
  }
}

function readLimit(given: unknown, path: string, typeNumber: ReadonlyMap<string, number>): QueueLimit {
  const type: number[] = [];
  const amount: number[] = [];
  for (const [name, quantity] of quantitiesOf(given, path)) {
    if (name === '') throw new InputError(path, `a resource type has a name; ${wantedQuantities}`);
    const written = typeof quantity === 'number' ? textOfNumber(quantity) : quantity;
    const most = parseQuantity(written, name, fieldPath(path, name));
    const number = typeNumber.get(name);
    if (number === undefined) continue;
    type.push(number);
    amount.push(Math.min(Number(most), Number.MAX_SAFE_INTEGER));
  }
  return { type, amount };
}

function quantitiesOf(given: unknown, path: string): [string, unknown][] {
  if (typeof given === 'string') return quantitiesOfText(given, path);
  if (isObject(given)) return Object.entries(given);
  throw new InputError(path, `${shown(given)} is not a limit; ${wantedQuantities}`);
}

/** A value of JSON as it is typed in a configuration. */
function scalarAt(value: unknown, path: string): WrittenScalar {
  if (typeof value === 'string') return { type: 'text', text: value };
  if (typeof value === 'number') return { type: 'number', text: textOfNumber(value) };
  if (typeof value === 'boolean') return { type: 'boolean', text: String(value) };
  throw new InputError(path, `one value is expected here, not ${shown(value)}`);
}
