import type { RecordedNotice } from '../events/shapes.js';
import type { Plan, SparedReason } from '../planning/plan.js';
import type { Limit } from '../shares/cluster-share.js';
import type { EnforcementView, VictimView } from './enforcements.js';
import type { QueueView, TimerView } from './queues.js';
import type { ElementView, RoundPlanView } from './rounds.js';

/** Allocations that were left alone for one reason. */
export interface SparedGroup {
  reason: SparedReason;
  count: number;
  /** The first of them. */
  first: string[];
}

/** What the last round of a policy found in a queue and below it. */
export interface QueueRound {
  policy: string;
  round: number;
  at: string;
  /** Of the queue itself, and of those below it that are planned. */
  shares: RoundPlanView['shares'];
  /** Of fair-share: what there was to act on there. */
  reasons: NonNullable<RoundPlanView['reasons']>;
  notices: RecordedNotice[];
}

/** A recorded run that concerns a queue: of its quota, of the quota of a queue above, or a round that took victims in it. */
export interface QueueRun {
  enforcement: string;
  policy: string;
  round: number | null;
  /** Whose quota it enforces; `root` for rounds. */
  queue: string;
  at: string;
  state: string;
  outcome: string | null;
  planOutcome: string | null;
  /** Of its victims those in the queue and below it, and of these the evicted ones. */
  victims: number;
  evicted: number;
}

export interface AllocationExplanation {
  allocation: string;
  partition: string;
  /** Where it runs, or ran when a run chose it; null if neither is known: then the latest runs of the partition were tried. */
  queue: string | null;
  /** Runs that chose it. */
  chosen: (VictimView & { enforcement: string })[];
  /** The latest runs that left it alone, and why: of its queue or one above, and rounds that took victims in its queue. */
  spared: { enforcement: string; queue: string; at: string; reason: string }[];
  /** Runs whose plans are too large to be made again for this. Absent: none. */
  tooLarge?: string[];
}

export interface EnforcementExplanation {
  enforcement: EnforcementView;
  victims: VictimView[];
  /** The recorded plan; with `spared`, made again from the recorded input, while that is kept. */
  plan: Plan | null;
  /** Of an explanation with a limit, in place of `spared` of the plan; null where the plan was not made again. */
  sparedBy?: SparedGroup[] | null;
  settings: Record<string, unknown> | null;
  /** Of a quota that is a share of the cluster: the share, and what it came to in the plan. Absent: it is amounts. */
  limit?: Limit;
  snapshotDigest: string | null;
  /** The input is kept: the plan can be made again. */
  replayable: boolean;
  /** A sentence on where its events are, once they are no longer in the database. */
  archived: string | null;
}

export interface QueueExplanation {
  queue: QueueView;
  timer: TimerView | null;
  /** As the last round of fair-share found it; null where that policy does not run. */
  pool: ElementView | null;
  /** What the last round of each policy found, where it found something. */
  rounds: QueueRound[];
  /** Recorded runs that concern it, the latest first: of its quota, of a queue above, and rounds that took victims in it. */
  runs: QueueRun[];
  /** What happened to its clock and its runs, the latest first. */
  history: { at: string; event: string; sentence: string }[];
  /** What happened before is archived; null: nothing is. */
  archivedUntil: string | null;
  notices: (RecordedNotice & { at: string })[];
}
