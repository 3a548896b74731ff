import { type Fraction, fraction, fractionOfNumber, fractionText } from '#contracts';
import type { Place } from '#contracts/api';
import { at, describe, type Field, isNull } from '../field.js';
import type { Problems } from '../problems.js';
import { quantityText } from '../quantity-text.js';
import type { Amount, Amounts, Origin, QueueTree } from '../tree.js';
import type { Node } from './node.js';
import { readResources } from './values.js';

type Limits = Pick<QueueTree, 'max' | 'maxOrigin' | 'guaranteed' | 'guaranteedOrigin' | 'clusterShare'>;

/** An attribute of a pool that is not null. */
interface Given {
  field: Field;
  path: string;
}

/** What a pool is limited to and guaranteed. docs/reference/configuration.md, "Pool trees" */
export function readPoolLimits(node: Node, origin: Origin, problems: Problems): Limits {
  const given = (name: string): Given | undefined => {
    const field = node.attributes.get(name)?.value;
    return field === undefined || isNull(field) ? undefined : { field, path: at(node.attributesPath, name) };
  };
  const guaranteed = readGuarantee(given, problems);
  const amounts = given('resource_limits');
  const ratio = given('max_share_ratio');
  const share = ratio && readShare(ratio, problems);
  const max = amounts ? readAmounts(amounts, problems) : new Map<string, Amount>();
  if (share !== undefined && ratio !== undefined && max.size > 0) {
    problems.error(
      ratio.path,
      'a pool is limited by resource_limits or by max_share_ratio here, not by both; keep the lower limit',
      ratio.field,
    );
  }
  refuseOldGuarantee(given('min_share_ratio'), problems);
  warnOfIntegralGuarantees(given('integral_guarantees'), problems);
  return {
    max,
    maxOrigin: originOf(amounts ?? ratio, origin),
    guaranteed: guaranteed.amounts,
    guaranteedOrigin: originOf(guaranteed.given, origin),
    ...(share === undefined ? {} : { clusterShare: { max: fractionText(share) } }),
  };
}

/** Under today's name, the older one, or both with the same amounts. */
function readGuarantee(
  given: (name: string) => Given | undefined,
  problems: Problems,
): { amounts: Amounts; given: Given | undefined } {
  const [now, older] = [given('strong_guarantee_resources'), given('min_share_resources')];
  const [amounts, others] = [now, older].map((one) => one && readAmounts(one, problems));
  if (amounts && older && others && !areEqual(amounts, others)) {
    const message = `is the older name of strong_guarantee_resources, which is here too with other amounts (${inWords(amounts)}); remove one of them`;
    problems.error(older.path, message, older.field);
  }
  return { amounts: amounts ?? others ?? new Map(), given: now ?? older };
}

const areEqual = (a: Amounts, b: Amounts): boolean =>
  a.size === b.size && [...a].every(([type, { value }]) => b.get(type)?.value === value);

const inWords = (amounts: Amounts): string =>
  [...amounts].map(([type, { value }]) => `${type} ${quantityText(type, value)}`).join(', ') || 'none';

function readAmounts({ field, path }: Given, problems: Problems): Amounts {
  const read = [...readResources(field, path, problems)].map(
    ([type, amount]) =>
      [type, { value: amount.value, origin: placed(amount.path, amount.field) }] satisfies [string, Amount],
  );
  return new Map(read);
}

/** The part of the cluster, of each type, that a pool gets at most; undefined for all of it. */
function readShare({ field, path }: Given, problems: Problems): Fraction | undefined {
  const ratio = field.kind === 'scalar' && field.type === 'number' ? Number(field.text) : Number.NaN;
  if (!(ratio >= 0 && ratio <= 1)) {
    problems.error(path, `write a number from 0 to 1, not ${describe(field)}`, field);
    return undefined;
  }
  const { numerator, denominator } = fractionOfNumber(ratio);
  return ratio === 1 ? undefined : fraction(numerator, denominator);
}

/** A guarantee of old versions, which today's YTsaurus does not read: whoever writes it relies on it. */
function refuseOldGuarantee(given: Given | undefined, problems: Problems): void {
  if (given === undefined || isZero(given.field)) return;
  problems.error(
    given.path,
    'YTsaurus reads this guarantee no longer; write the amounts as strong_guarantee_resources, or remove it',
    given.field,
  );
}

const isZero = (field: Field): boolean => field.kind === 'scalar' && Number(field.text) === 0;

/** Volumes gathered over days are unknown here. docs/reference/policies/fair-share.md §19 */
function warnOfIntegralGuarantees(given: Given | undefined, problems: Problems): void {
  if (given === undefined) return;
  const { field, path } = given;
  if (!hasGuarantee(field)) {
    problems.warning('ignored-attribute', path, 'is kept, and has no effect here', field);
    return;
  }
  const message =
    'is not counted: this pool is guaranteed less than in YTsaurus, so a plan may take what YTsaurus would leave; add what it is to keep to strong_guarantee_resources';
  problems.warning('guarantee-incomplete', path, message, field);
}

function hasGuarantee(field: Field): boolean {
  if (field.kind !== 'mapping') return false;
  const type = field.entries.get('guarantee_type')?.value;
  if (type?.kind === 'scalar' && type.text === 'none') return false;
  return ['burst_guarantee_resources', 'resource_flow'].some((name) => {
    const amounts = field.entries.get(name)?.value;
    return amounts?.kind === 'mapping' && [...amounts.entries.values()].some(({ value }) => !isZero(value));
  });
}

const originOf = (given: Given | undefined, otherwise: Origin): Origin =>
  given === undefined ? otherwise : placed(given.path, given.field);

function placed(path: string, { line, column }: Place): Origin {
  return { path, line, column };
}

/**
 * The guarantees of children add up to at most that of their pool, for each type; a type that it does not name
 * is 0. A guarantee above the pool's own limit is cut to it. docs/reference/policies/fair-share.md §15
 */
export function checkGuarantees(pool: QueueTree, problems: Problems): void {
  const sums = new Map<string, bigint>();
  for (const child of pool.children) {
    for (const [type, { value }] of child.guaranteed) sums.set(type, (sums.get(type) ?? 0n) + value);
  }
  for (const [type, sum] of sums) {
    const own = pool.guaranteed.get(type);
    if (sum <= (own?.value ?? 0n)) continue;
    const origin = own?.origin ?? pool.guaranteedOrigin;
    const has = own === undefined ? 'none of its own' : `the ${quantityText(type, own.value)} of its own`;
    problems.error(
      origin.path,
      `the pools of ${pool.path} are guaranteed ${quantityText(type, sum)} ${type}, more than ${has}; raise it, or lower theirs`,
      origin,
    );
  }
  for (const [type, { value, origin }] of pool.guaranteed) {
    const limit = pool.max.get(type)?.value;
    if (limit !== undefined && value > limit) {
      const message = `guaranteed ${quantityText(type, value)} ${type} is above the limit of the pool, ${quantityText(type, limit)}, which holds`;
      problems.warning('guarantee-above-limit', origin.path, message, origin);
    }
  }
  for (const child of pool.children) checkGuarantees(child, problems);
}
