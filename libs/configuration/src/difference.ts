import { type ClusterShare, compareFractions, fractionOf, shareText } from '#contracts';
import type { ClockEffect, PolicyChange, ValueChange } from '#contracts/api';
import { type ClockValues, effectOnClock } from './clock-effect.js';
import { policyChanges, valueChanges } from './policies.js';
import type { ConfigurationQueue, ConfigurationResult, ExactAmounts } from './result.js';

/** `depends`: a share of the cluster on one side and amounts on the other, so that the size of the cluster decides. */
export type Direction = 'raise' | 'lower' | 'depends';

/** Base units; null = the type has no limit (or no guarantee) on that side, unless a share stands in its place. */
export interface AmountChange {
  type: string;
  change: Direction;
  from: bigint | null;
  to: bigint | null;
  /** The share of the cluster in place of an amount, such as `25 %`. */
  fromShare?: string;
  toShare?: string;
}

export interface ShareChange {
  of: 'max' | 'guaranteed';
  change: Direction;
  /** `25 %`; null = no share: with `depends` amounts, otherwise nothing at all. */
  from: string | null;
  to: string | null;
}

export interface QueueDifference {
  partition: string;
  path: string;
  change: 'new' | 'removed' | 'changed';
  max: AmountChange[];
  guaranteed: AmountChange[];
  /** Shares of the cluster in percent; absent if unchanged. */
  shares?: ShareChange[];
  /** Properties of the queue for policies; absent if unchanged. */
  properties?: ValueChange[];
  /** Effective delays in seconds; absent if unchanged. */
  delay?: { from: number; to: number };
  clock: ClockEffect;
  /** The reason for the effect on the clock, as text. */
  because: string;
}

export interface ConfigurationDifference {
  /** Partitions whose switch changes, or that are added or removed (null = absent). */
  switches: { partition: string; from: boolean | null; to: boolean | null }[];
  /** Changes of policies; absent if unchanged. */
  policies?: ({ partition: string } & PolicyChange)[];
  /** Only changed queues, in the order of the new configuration, then the removed ones. */
  queues: QueueDifference[];
}

/** What is compared of a configuration. */
export type Comparable = Pick<ConfigurationResult, 'partitions' | 'queues'>;

/** The changes from `before` to `after`. Both have to be valid. */
export function diffConfigurations(before: Comparable, after: Comparable): ConfigurationDifference {
  const old = new Map(before.queues.map((queue) => [keyOf(queue), queue]));
  const now = new Map(after.queues.map((queue) => [keyOf(queue), queue]));
  const queues: QueueDifference[] = [];
  for (const [key, queue] of now) {
    const difference = between(old.get(key), queue);
    if (difference !== undefined) queues.push(difference);
  }
  for (const [key, queue] of old) {
    const difference = now.has(key) ? undefined : between(queue, undefined);
    if (difference !== undefined) queues.push(difference);
  }
  const policies = policiesOf(before, after);
  return { switches: switchChanges(before, after), ...(policies.length > 0 ? { policies } : {}), queues };
}

/** Names of partitions are case-insensitive, as in one configuration. */
function keyOf({ partition, path }: ConfigurationQueue): string {
  return JSON.stringify([partition.toLowerCase(), path]);
}

function between(
  old: ConfigurationQueue | undefined,
  now: ConfigurationQueue | undefined,
): QueueDifference | undefined {
  const queue = now ?? old;
  if (queue === undefined) return undefined;
  const { effect, because } = effectOnClock(valuesOf(old), now && valuesOf(now));
  const properties = valueChanges(old?.properties ?? {}, now?.properties ?? {});
  const [before, after] = [sideOf(old), sideOf(now)];
  const shares = shareChanges(before, after);
  const from = old?.delaySeconds ?? 0;
  const to = now?.delaySeconds ?? 0;
  const difference: QueueDifference = {
    partition: queue.partition,
    path: queue.path,
    change: old === undefined ? 'new' : now === undefined ? 'removed' : 'changed',
    max: changes('max', before, after, isLowerLimit),
    guaranteed: changes('guaranteed', before, after, isLowerGuarantee),
    ...(shares.length === 0 ? {} : { shares }),
    ...(properties.length === 0 ? {} : { properties }),
    ...(from === to ? {} : { delay: { from, to } }),
    clock: effect,
    because,
  };
  const { change, max, guaranteed, delay } = difference;
  const unchanged =
    change === 'changed' &&
    !delay &&
    properties.length + shares.length + max.length + guaranteed.length === 0;
  return unchanged ? undefined : difference;
}

function valuesOf(queue: ConfigurationQueue | undefined): ClockValues {
  const { exact, delayMs = 0, clusterShare } = queue ?? {};
  return { max: exact?.max ?? null, delayMs, maxShare: clusterShare?.max };
}

/** What a configuration says of a queue: shares, or amounts. */
interface Side {
  shares: ClusterShare;
  max: ExactAmounts | null;
  guaranteed: ExactAmounts | null;
}

const sideOf = (queue: ConfigurationQueue | undefined): Side => ({
  shares: queue?.clusterShare ?? {},
  max: queue?.exact.max ?? null,
  guaranteed: queue?.exact.guaranteed ?? null,
});

function shareChanges(old: Side, now: Side): ShareChange[] {
  return (['max', 'guaranteed'] as const).flatMap((of) => {
    const [from, to] = [old.shares[of], now.shares[of]];
    if (from === to) return [];
    const none = { numerator: of === 'max' ? 1n : 0n, denominator: of === 'max' ? 0n : 1n };
    const order = compareFractions(
      to === undefined ? none : fractionOf(to),
      from === undefined ? none : fractionOf(from),
    );
    const isOtherForm = (from === undefined && old[of] !== null) || (to === undefined && now[of] !== null);
    const change = isOtherForm ? 'depends' : order < 0 ? 'lower' : 'raise';
    return [{ of, change, from: shown(from), to: shown(to) }];
  });
}

const shown = (share: string | undefined): string | null => (share === undefined ? null : shareText(share));

type IsLower = (from: bigint | null, to: bigint | null) => boolean;

/** No limit is higher than any. */
const isLowerLimit: IsLower = (from, to) => from === null || (to !== null && to < from);

/** No guarantee is lower than any, and the same as 0. */
const isLowerGuarantee: IsLower = (from, to) => (to ?? 0n) < (from ?? 0n);

function changes(of: 'max' | 'guaranteed', old: Side, now: Side, isLower: IsLower): AmountChange[] {
  const types = [...new Set([...Object.keys(old[of] ?? {}), ...Object.keys(now[of] ?? {})])].sort();
  const [fromShare, toShare] = [old.shares[of], now.shares[of]].map(shown);
  return types.flatMap((type): AmountChange[] => {
    const from = amountOf(old[of], type);
    const to = amountOf(now[of], type);
    if (from === to) return [];
    if (fromShare) return [{ type, change: 'depends', from, to, fromShare }];
    if (toShare) return [{ type, change: 'depends', from, to, toShare }];
    return [{ type, change: isLower(from, to) ? 'lower' : 'raise', from, to }];
  });
}

function amountOf(amounts: ExactAmounts | null | undefined, type: string): bigint | null {
  return amounts && Object.hasOwn(amounts, type) ? (amounts[type] ?? null) : null;
}

function policiesOf(before: Comparable, after: Comparable) {
  const old = new Map(before.partitions.map(({ name, policies }) => [name.toLowerCase(), policies]));
  const now = new Map(after.partitions.map(({ name, policies }) => [name.toLowerCase(), policies]));
  return [...new Set([...now.keys(), ...old.keys()])].flatMap((partition) =>
    policyChanges(old.get(partition) ?? {}, now.get(partition) ?? {}).map((change) => ({
      partition,
      ...change,
    })),
  );
}

function switchChanges(before: Comparable, after: Comparable) {
  const old = new Map(before.partitions.map((partition) => [partition.name.toLowerCase(), partition]));
  const now = new Map(after.partitions.map((partition) => [partition.name.toLowerCase(), partition]));
  return [...new Set([...now.keys(), ...old.keys()])].flatMap((key) => {
    const from = old.get(key)?.quotaPreemptionEnabled ?? null;
    const to = now.get(key)?.quotaPreemptionEnabled ?? null;
    return from === to ? [] : [{ partition: (now.get(key) ?? old.get(key))?.name ?? key, from, to }];
  });
}
