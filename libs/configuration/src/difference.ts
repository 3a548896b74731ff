import { type ClusterShare, compareFractions, fractionOf, shareText } from '@curtail/contracts';
import type { ClockEffect, PolicyChange, ValueChange } from '@curtail/contracts/api';
import { type ClockValues, clockEffect } from './clock-effect.js';
import { policyChanges, valueChanges } from './policy-changes.js';
import type { ConfigurationQueue, ConfigurationResult, ExactAmounts } from './result.js';

/** Base units; null = the type has no limit (or no guarantee) on that side. */
export interface AmountChange {
  type: string;
  change: 'raise' | 'lower';
  from: bigint | null;
  to: bigint | null;
}

export interface ShareChange {
  of: 'max' | 'guaranteed';
  change: 'raise' | 'lower';
  /** `25 %`; null = no share. */
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
  const { effect, because } = clockEffect(valuesOf(old), valuesOf(now));
  const properties = valueChanges(old?.properties ?? {}, now?.properties ?? {});
  const shares = shareChanges(old?.clusterShare ?? {}, now?.clusterShare ?? {});
  const from = old?.delaySeconds ?? 0;
  const to = now?.delaySeconds ?? 0;
  const difference: QueueDifference = {
    partition: queue.partition,
    path: queue.path,
    change: old === undefined ? 'new' : now === undefined ? 'removed' : 'changed',
    max: limitChanges(old?.exact.max, now?.exact.max),
    guaranteed: guaranteeChanges(old?.exact.guaranteed, now?.exact.guaranteed),
    ...(shares.length === 0 ? {} : { shares }),
    ...(properties.length === 0 ? {} : { properties }),
    ...(from === to ? {} : { delay: { from, to } }),
    clock: effect,
    because: now === undefined ? 'the queue leaves the configuration' : because,
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

function shareChanges(old: ClusterShare, now: ClusterShare): ShareChange[] {
  return (['max', 'guaranteed'] as const).flatMap((of) => {
    const [from, to] = [old[of], now[of]];
    if (from === to) return [];
    const none = { numerator: of === 'max' ? 1n : 0n, denominator: of === 'max' ? 0n : 1n };
    const less =
      compareFractions(
        to === undefined ? none : fractionOf(to),
        from === undefined ? none : fractionOf(from),
      ) < 0;
    return [
      {
        of,
        change: less ? ('lower' as const) : ('raise' as const),
        from: from === undefined ? null : shareText(from),
        to: to === undefined ? null : shareText(to),
      },
    ];
  });
}

/** No limit is higher than any. */
function limitChanges(
  old: ExactAmounts | null | undefined,
  now: ExactAmounts | null | undefined,
): AmountChange[] {
  return changes(old, now, (from, to) => from === null || (to !== null && to < from));
}

/** No guarantee is lower than any, and the same as 0. */
function guaranteeChanges(
  old: ExactAmounts | null | undefined,
  now: ExactAmounts | null | undefined,
): AmountChange[] {
  return changes(old, now, (from, to) => (to ?? 0n) < (from ?? 0n));
}

function changes(
  old: ExactAmounts | null | undefined,
  now: ExactAmounts | null | undefined,
  isLower: (from: bigint | null, to: bigint | null) => boolean,
): AmountChange[] {
  const types = [...new Set([...Object.keys(old ?? {}), ...Object.keys(now ?? {})])].sort();
  return types.flatMap((type) => {
    const from = amountOf(old, type);
    const to = amountOf(now, type);
    if (from === to) return [];
    return [{ type, change: isLower(from, to) ? ('lower' as const) : ('raise' as const), from, to }];
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
