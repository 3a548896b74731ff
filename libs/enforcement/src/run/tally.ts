import type { RecordedNotice, Resources } from '#contracts';
import { positiveDifference, sum } from '../amounts.js';

/**
 * The last two are of rounds: the owner was notified by this round, or by an earlier one and the victim waits
 * (judge-round.ts).
 */
export const victimOutcomes = ['evicted', 'gone', 'spared', 'failed', 'notified', 'waiting'] as const;
export type VictimOutcome = (typeof victimOutcomes)[number];

/** The outcomes of the victims of a run. */
export interface Tally {
  readonly counts: Readonly<Record<VictimOutcome, number>>;
  /** Resources of victims that a kill switch kept from being evicted. */
  readonly stopped: Resources;
  /** Resources of victims that were evicted, or are gone or leaving by themselves. */
  readonly freed: Resources;
  /** How many of those that are gone another incarnation had replaced, which may hold as much. */
  readonly replaced: number;
  /** Target types in which the queue was found down to its quota, and so has no shortfall. */
  readonly reachedTypes: readonly string[];
  /** By code: the victims that stay although the plan had chosen them and their queue needs them. */
  readonly stayed: Readonly<Record<string, Stayed>>;
}

/** Victims that stay for the same reason. */
export interface Stayed {
  victims: number;
  /** The allocation of the first of them, and its reason. */
  first: string;
  why: Omit<RecordedNotice, 'code'>;
}

/** The code of victims whose eviction was tried and failed, whatever the cluster said. */
export const evictionFailed = 'eviction-failed';

/** The code of victims that were spared because the queue has come down already. */
export const noLongerNeeded = 'no-longer-needed';

/** The code of a victim that was replaced by another incarnation, whose resources were not freed. */
export const otherIncarnation = 'other-incarnation';

export const emptyTally: Tally = {
  counts: { evicted: 0, gone: 0, spared: 0, failed: 0, notified: 0, waiting: 0 },
  stopped: {},
  freed: {},
  replaced: 0,
  reachedTypes: [],
  stayed: {},
};

/** The outcome of one victim, and its resources. */
export interface Settled {
  outcome: VictimOutcome;
  /** Why it is gone, spared or failed. */
  code?: string | undefined;
  resources: Resources;
  /** The victim, and why it stays; absent: not recorded. */
  of?: { allocation: string } & RecordedNotice;
}

/** The tally with one victim more. */
export function tallied(before: Tally, target: Resources, settled: Settled): Tally {
  const { outcome, code, resources } = settled;
  const tally = { ...before, stayed: withStayed(before.stayed, settled) };
  const counts = { ...tally.counts, [outcome]: tally.counts[outcome] + 1 };
  if (outcome === 'gone' && code === otherIncarnation)
    return { ...tally, counts, replaced: tally.replaced + 1 };
  if (outcome === 'evicted' || outcome === 'gone') {
    return { ...tally, counts, freed: sum(tally.freed, resources) };
  }
  if (outcome !== 'spared') return { ...tally, counts };
  if (code === 'stopped') return { ...tally, counts, stopped: sum(tally.stopped, resources) };
  if (code !== noLongerNeeded) return { ...tally, counts };
  const reachedTypes = [...new Set([...tally.reachedTypes, ...typesInvolved(target, resources)])].sort();
  return { ...tally, counts, reachedTypes };
}

/** @param of absent: nothing is known of the victim. */
export function withStayed(
  stayed: Tally['stayed'],
  { outcome, code, of }: Pick<Settled, 'outcome' | 'code' | 'of'>,
): Tally['stayed'] {
  const stays =
    outcome === 'failed' || outcome === 'spared' || (outcome === 'gone' && code === otherIncarnation);
  if (!stays || !of || code === noLongerNeeded) return stayed;
  const key = outcome === 'failed' ? evictionFailed : of.code;
  const { victims, first, why } = Object.hasOwn(stayed, key)
    ? stayed[key]!
    : {
        victims: 0,
        first: of.allocation,
        why: { message: of.message, ...(of.about && { about: of.about }) },
      };
  return { ...stayed, [key]: { victims: victims + 1, first, why } };
}

/** The shortfall of an amount: none in types in which the queue has come down by itself. */
export function missing({ freed, reachedTypes }: Tally, amount: Resources): Resources {
  const short = positiveDifference(amount, freed);
  return Object.fromEntries(Object.entries(short).filter(([type]) => !reachedTypes.includes(type)));
}

/** The types of a target that are above 0 in `amounts`. */
export function typesInvolved(target: Resources, amounts: Resources): string[] {
  return Object.keys(target).filter((type) => Object.hasOwn(amounts, type) && (amounts[type] ?? 0) > 0);
}
