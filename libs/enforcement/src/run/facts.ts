import type { Resources, SnapshotAllocation, SnapshotApplication } from '@curtail/contracts';
import type { LiveQueue } from './control.js';

/** The facts about one victim that the shell gathers after `nextStep` asked for them. */
export type VictimFacts =
  | {
      rank: number;
      /** As it is now; undefined = no allocation has this id. */
      allocation: SnapshotAllocation | undefined;
      /** Of fair-share: the need that the victim serves. Absent: the need is not checked again. */
      need?: LiveNeed;
      /** Of fair-share: the victims that make room for the same start and that the step asked for, by rank. */
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

/** The need that a victim of fair-share serves, right before the victim is asked to finish or killed. */
export type LiveNeed =
  /** Of `starvation` and `aggressive-starvation`. */
  | {
      /** The operation that is to start in its place; undefined = it is gone. */
      operation: Pick<SnapshotApplication, 'queue' | 'pending' | 'properties'> | undefined;
      /** The node of the victim, where the operation is to start; null = it is gone. Absent: it is not known. */
      node?: LivePlace | null;
      /** As of the last fair-share round: the operation, if it starves, and the pools above it that do. */
      starving: readonly Starving[];
    }
  /** Of `resource-limits` and `overcommit`: by how much its node, its operation or a pool above holds too much now. */
  | { over: readonly Resources[] };

/** A node with its usage, and the part of the usage that is leaving. */
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
