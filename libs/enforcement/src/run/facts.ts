import type { Resources, SnapshotAllocation, SnapshotApplication } from '@curtail/contracts';
import type { LiveQueue } from './control.js';

/** What the shell finds out about one victim, after `nextStep` asked for it. */
export type VictimFacts =
  | {
      rank: number;
      /** As it is now; undefined = none stands under this id. */
      allocation: SnapshotAllocation | undefined;
      /** Of fair-share: what it is needed for. Absent: it is not looked at again. */
      need?: LiveNeed;
      /** Of fair-share: those that make room for the same start, by rank, of whom the step asked. */
      beside?: ReadonlyMap<number, SnapshotAllocation | undefined>;
      /** The queues that the step named. */
      queues: ReadonlyMap<string, LiveQueue>;
      /**
       * Of an order without an outcome: whether the cluster carried the kill out. Absent: it was asked to, and it is not known
       * what came of that.
       */
      carriedOut?: boolean;
      /** Of an order without an outcome: until then its request may still be carried out. Absent: it may not. */
      openUntil?: string;
      /** Of an order without an outcome: its request was never answered, and cannot be carried out any more. A sentence. */
      unanswered?: string;
    }
  /** The cluster did not answer. */
  | { rank: number; unreachable: string };

/** What the shell finds out about the enforced queue, once all victims of the run have their outcome. */
export type QueueFacts =
  /** What it uses above the max that the run fired with, without what leaves and what other runs are still to evict. */
  | { above: Resources }
  /** The cluster did not answer. */
  | { unreachable: string };

export type ReachableFacts = Extract<VictimFacts, { queues: unknown }>;

/** What a victim of fair-share is needed for, as it is right before it is asked to finish or killed. */
export type LiveNeed =
  /** Of `starvation` and `aggressive-starvation`. */
  | {
      /** Who is to start in its place; undefined = it is gone. */
      operation: Pick<SnapshotApplication, 'queue' | 'pending' | 'properties'> | undefined;
      /** The node of the victim, where the operation is to start; null = it is gone. Absent: it is not known. */
      node?: LivePlace | null;
      /** By the last look of the rounds: the operation, if it starves, and those of the pools above that do. */
      starving: readonly Starving[];
    }
  /** Of `resource-limits` and `overcommit`: by how much its node, its operation or a pool above holds too much now. */
  | { over: readonly Resources[] };

/** A node with what is used of it, and the part of that which is leaving. */
export interface LivePlace {
  capacity: Resources;
  labels: Readonly<Record<string, string>>;
  /** Work starts there. */
  schedulable: boolean;
  usage: Resources;
  inFlight: Resources;
}

export interface Starving {
  kind: 'pool' | 'operation';
  /** The path of the pool, or the id of the operation. */
  name: string;
  state: 'starving' | 'aggressively_starving';
}
