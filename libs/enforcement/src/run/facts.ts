import type { Resources, SnapshotAllocation } from '#contracts';
import type { LiveQueue } from './control.js';

/** The facts about one victim that the shell gathers after `nextStep` asked for them. */
export type VictimFacts =
  | {
      rank: number;
      /** As it is now; undefined = no allocation has this id. */
      allocation: SnapshotAllocation | undefined;
      /** The facts that only the policy of the run needs, in its own shape (`OwnChecks`). Absent: none. */
      own?: object;
      /** The victims that the step asked for beside it, by rank. */
      beside?: ReadonlyMap<number, SnapshotAllocation | undefined>;
      /** The queues that the step named. */
      queues: ReadonlyMap<string, LiveQueue>;
      /**
       * Of an order without an outcome: whether the cluster carried the kill out. Absent: the kill was requested, and
       * its result is not known.
       */
      carriedOut?: boolean;
      /** Of an order without an outcome: until then its request may still be carried out. Absent: it may not. */
      openUntil?: string;
      /** Of an order without an outcome: its request was never answered, and cannot be carried out any more. A sentence. */
      unanswered?: string;
    }
  /** The cluster did not answer. */
  | { rank: number; unreachable: string };

/** The facts about the enforced queue that the shell gathers once all victims of the run have their outcome. */
export type QueueFacts =
  /**
   * The usage above the max that the run fired with, without allocations that are leaving or that other runs are still
   * to evict.
   */
  | { above: Resources }
  /** The cluster did not answer. */
  | { unreachable: string };

export type ReachableFacts = Extract<VictimFacts, { queues: unknown }>;
