import type { FairShareReason, ShownElement } from '../planning/fair-share-plan.js';
import type { Notice, Outcome } from '../planning/plan.js';
import type { Resources } from '../planning/resources.js';

/** What a round planned: the sums, and each queue's part in them. */
export interface RoundPlanView {
  outcome: Outcome;
  observeOnly?: true;
  target: Resources;
  claimed: Resources;
  shortfall: Resources;
  victims: number;
  shares: { queue: string; releasable: Resources; target: Resources; claimed: Resources }[];
  /** Of fair-share: what there was to act on, a thousand at most; `queue`: the pool, or that of the operation. */
  reasons?: (FairShareReason & { queue?: string })[];
  notices: Notice[];
}

/** The rounds of a policy in a partition: which one is the last, and what it came to. */
export interface RoundsView {
  partition: string;
  policy: string;
  /** Of the last one that began. */
  round: number;
  enforcement: string;
  /** `wanted`, `planning`, `executing`, or `over`. */
  state: string;
  startedAt: string;
  /** Null when its configuration wants no more rounds. */
  nextDueAt: string | null;
  /** From the first one on: left out because another one was under way. */
  skipped: number;
  /** Of the last one that could be planned, whether it is in the log or not. */
  plannedRound: number | null;
  plannedAt: string | null;
  seconds: number | null;
  plan: RoundPlanView | null;
  /** Why the last one could not be planned. */
  failure: Notice | null;
  /** Allocations whose owners were notified, and which a later round may kill. */
  notified: number;
  /** Whom rounds of fair-share choose no more for a while, since an operator or the cluster said no; a hundred at the most. */
  leftAlone: { kind: 'application' | 'allocation'; name: string; until: string }[];
}

/** A pool or an operation as the last round of fair-share found it (docs/reference/policies/fair-share.md §7, §8). */
export interface ElementView extends ShownElement {
  /** Of the snapshot. */
  takenAt: string;
}
