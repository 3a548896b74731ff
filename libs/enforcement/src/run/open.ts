import { counted, type DomainEvent, type Limit, type Resources } from '#contracts';
import { amountOf, inWords, sum } from '../amounts.js';
import { addMs } from '../instants.js';
import { type Ceilings, type CeilingUse, ceilingReached } from '../limits/ceilings.js';
import { assert, type PlannedVictim, type RunState } from './run-state.js';

export interface ApprovalTerms {
  /** More victims than this need approval; null = no approval by number. */
  approveAboveVictims: number | null;
  /** More than this share of the allocations, or of the usage in any type, needs an approval; null = no approval by share. */
  approveAbovePercent: number | null;
  /** Of the enforced queue and all below it, when the plan was made. */
  allocations: number;
  usage: Resources;
}

export interface OpeningTerms extends ApprovalTerms, Limit {
  /** Now. */
  openedAt: string;
  mode: 'observe' | 'enforce';
  deadlineSeconds: number;
  /** An operator has approved all runs of the configuration that causes it: it needs no approval. */
  isApproved?: boolean;
  /** Absent: the partition has no ceiling. */
  ceilings?: { ceilings: Ceilings; use: CeilingUse } | undefined;
  /** Of a round without waiting victims: the maximum age of its plan when it kills, in place of `deadlineSeconds`. */
  roundSeconds?: number;
  /** Of a round: the victims that are notified, wait or are killed. Absent: all victims are killed. */
  judged?: {
    notify: readonly PlannedVictim[];
    wait: readonly { victim: PlannedVictim }[];
    kill: readonly { victim: PlannedVictim; note: { approved?: boolean } }[];
  };
}

/** Opens a run, which fixes how its plan is carried out. Throws if there is no plan, or the run is open already. */
export function openRun(state: RunState, terms: OpeningTerms): DomainEvent {
  const { planned } = state;
  assert(planned, 'there is no plan to open');
  assert(!state.opened, 'the run is open already');
  const { judged } = terms;
  // A kill that an operator has approved once needs no second approval.
  const toKill = judged
    ? judged.kill.filter(({ note }) => !note.approved).map(({ victim }) => victim)
    : planned.plan.victims;
  const { partition, configuration } = planned;
  const isAsked = terms.mode === 'enforce' && !terms.isApproved;
  const ceiling =
    isAsked && terms.ceilings
      ? ceilingReached(terms.ceilings.ceilings, terms.ceilings.use, {
          partition,
          configuration,
          victims: toKill,
        })
      : undefined;
  const reason = ceiling?.message ?? (isAsked ? approvalReason(toKill, terms) : undefined);
  return {
    name: 'EnforcementOpened',
    data: {
      partition,
      queue: planned.queue,
      enforcement: planned.enforcement,
      fencingToken: planned.fencingToken,
      openedAt: terms.openedAt,
      mode: terms.mode,
      max: terms.max,
      ...(terms.maxShare !== undefined && { maxShare: terms.maxShare }),
      victims: planned.plan.victims.length,
      ...(judged && {
        notify: judged.notify.map(({ rank }) => rank),
        wait: judged.wait.map(({ victim }) => victim.rank),
      }),
      needsApproval: reason !== undefined,
      ...(reason !== undefined && { approvalReason: reason }),
      ...(ceiling && { ceiling: ceiling.code }),
      deadlineAt: addMs(
        terms.openedAt,
        (reason === undefined ? (terms.roundSeconds ?? terms.deadlineSeconds) : terms.deadlineSeconds) * 1000,
      ),
      notices: ceiling ? [ceiling] : [],
    },
  };
}

/** Returns why an operator has to approve the eviction of these victims, as a sentence; undefined = no approval is needed. */
export function approvalReason(
  victims: readonly { resources: Resources }[],
  terms: ApprovalTerms,
): string | undefined {
  const { approveAboveVictims, approveAbovePercent: percent, allocations, usage } = terms;
  if (victims.length === 0) return undefined;
  if (approveAboveVictims !== null && victims.length > approveAboveVictims) {
    return `${counted(victims.length, 'victim')}; more than ${approveAboveVictims} need approval.`;
  }
  if (percent === null) return undefined;
  if (isAbove(victims.length, percent, allocations)) {
    return `${victims.length} of ${allocations} allocations; more than ${percent} % need approval.`;
  }
  const taken = victims.map((victim) => victim.resources).reduce(sum, {});
  const type = Object.keys(taken).find((name) =>
    isAbove(amountOf(taken, name), percent, amountOf(usage, name)),
  );
  if (type === undefined) return undefined;
  const used = { [type]: amountOf(usage, type) };
  return `${inWords({ [type]: amountOf(taken, type) })} of ${inWords(used)}; more than ${percent} % need approval.`;
}

/** `part` is more than `percent` of `whole`. Exact: a hundred times an amount may not fit into a number. */
function isAbove(part: number, percent: number, whole: number): boolean {
  const thousandths = Math.round(percent * 1000);
  return BigInt(part) * 100_000n > BigInt(whole) * BigInt(thousandths);
}
