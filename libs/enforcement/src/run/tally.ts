import type { Resources } from '@curtail/contracts';
import { positiveDifference, sum } from '../amounts.js';

/** The last two are of rounds: its owner was told by this one, or by an earlier one and it waits (judge-round.ts). */
export const victimOutcomes = ['evicted', 'gone', 'spared', 'failed', 'notified', 'waiting'] as const;
export type VictimOutcome = (typeof victimOutcomes)[number];

/** What the victims of a run have come to. */
export interface Tally {
  readonly counts: Readonly<Record<VictimOutcome, number>>;
  /** Held by victims that a kill switch kept from being evicted. */
  readonly stopped: Resources;
  /** Held by victims that were evicted, or are gone or leaving by themselves. */
  readonly freed: Resources;
  /** Target types in which the queue was found down to its quota: nothing is missing there any more. */
  readonly reachedTypes: readonly string[];
}

/** The spared code that says that the queue has come down already. */
export const noLongerNeeded = 'no-longer-needed';

/** The code of a victim that is gone, under whose id another incarnation stands: what that one holds was not freed. */
export const otherIncarnation = 'other-incarnation';

export const emptyTally: Tally = {
  counts: { evicted: 0, gone: 0, spared: 0, failed: 0, notified: 0, waiting: 0 },
  stopped: {},
  freed: {},
  reachedTypes: [],
};

/** What became of one victim, and what it held. */
export interface Settled {
  outcome: VictimOutcome;
  /** Why it is gone, spared or failed. */
  code?: string | undefined;
  resources: Resources;
}

/** The tally with one victim more. */
export function tallied(tally: Tally, target: Resources, { outcome, code, resources }: Settled): Tally {
  const counts = { ...tally.counts, [outcome]: tally.counts[outcome] + 1 };
  if (outcome === 'evicted' || (outcome === 'gone' && code !== otherIncarnation)) {
    return { ...tally, counts, freed: sum(tally.freed, resources) };
  }
  if (outcome !== 'spared') return { ...tally, counts };
  if (code === 'stopped') return { ...tally, counts, stopped: sum(tally.stopped, resources) };
  if (code !== noLongerNeeded) return { ...tally, counts };
  const reachedTypes = [...new Set([...tally.reachedTypes, ...typesOf(target, resources)])].sort();
  return { ...tally, counts, reachedTypes };
}

/** What is still missing of an amount: a type in which the queue has come down by itself misses nothing. */
export function missing({ freed, reachedTypes }: Tally, amount: Resources): Resources {
  const short = positiveDifference(amount, freed);
  return Object.fromEntries(Object.entries(short).filter(([type]) => !reachedTypes.includes(type)));
}

/** The types of a target that are above 0 in `amounts`. */
export function typesOf(target: Resources, amounts: Resources): string[] {
  return Object.keys(target).filter((type) => Object.hasOwn(amounts, type) && (amounts[type] ?? 0) > 0);
}
