import type { Resources } from '#contracts';
import type { LabelSet } from './labels.js';

/**
 * A checked snapshot as columns for the policy `fair-share`; read once, planned with often, never written to afterwards.
 * All numbers are given by names and times, not by places in the input, so nothing that is decided can depend on its order.
 *
 * A table of amounts has one row a thing and one column a type: `table[thing * types.length + type]`.
 */
export interface FairShareSnapshot {
  readonly partition: string;
  /** Milliseconds since 1970, like all times here. */
  readonly takenAt: number;
  /** All resource types that occur anywhere, in UTF-16 order; a type's number is its place here. */
  readonly types: readonly string[];
  readonly typeNumber: ReadonlyMap<string, number>;
  /** 1 for types that a node, an allocation or a pending entry names. */
  readonly typeInUse: Uint8Array;
  /** The capacity of all nodes together, by type. */
  readonly totals: Float64Array;
  /** The amount that is releasing or preempting, by type. */
  readonly inFlight: Float64Array;
  readonly nodes: FairShareNodeColumns;
  readonly elements: ElementColumns;
  readonly pools: PoolColumns;
  readonly operations: OperationColumns;
  readonly asks: AskColumns;
  readonly allocations: FairShareAllocationColumns;
}

/** Nodes are numbered by id. */
export interface FairShareNodeColumns {
  readonly count: number;
  readonly ids: readonly string[];
  /** -1 = the capacity does not name the type. */
  readonly capacity: Float64Array;
  readonly labels: readonly ReadonlyMap<string, string>[];
  readonly schedulable: Uint8Array;
  /** NaN = not known to be overcommitted. */
  readonly overcommittedSince: Float64Array;
  /** NaN = never. */
  readonly lastPreemptiveSchedulingAt: Float64Array;
  /** The running allocations of node n, newest first: `byNode[i]` for i from `firstAllocation[n]` below `firstAllocation[n + 1]`. */
  readonly firstAllocation: Int32Array;
  readonly byNode: Int32Array;
}

/** The states of §8.1, also as `starvation` of an element. */
export const NON_STARVING = 0;
export const STARVING = 1;
export const AGGRESSIVELY_STARVING = 2;

/**
 * Elements are the pools, then the operations: pool p is element p, operation o is element `pools.count + o`. The root is 0, and
 * parents come before their children. Absent values are NaN, but for limits.
 */
export interface ElementColumns {
  readonly count: number;
  /** -1 for the root. */
  readonly parent: Int32Array;
  /** The children of pool p: `children[i]` for i from `firstChild[p]` below `firstChild[p + 1]`, by number. */
  readonly firstChild: Int32Array;
  readonly children: Int32Array;
  /** Of the running allocations at and below it. */
  readonly usage: Float64Array;
  /** Its usage and all that is pending at and below it, but for suspended operations. */
  readonly demand: Float64Array;
  readonly weight: Float64Array;
  /** `max` of a pool, `resourceLimits` of an operation; -1 = no limit. */
  readonly limit: Float64Array;
  /** `resourceLimitsOvercommitTolerance`; 0 = none. */
  readonly limitTolerance: Float64Array;
  /** 1 where any type has a limit. */
  readonly limited: Uint8Array;
  readonly timeout: Float64Array;
  readonly tolerance: Float64Array;
  readonly usageThreshold: readonly (Resources | undefined)[];
  readonly belowSince: Float64Array;
  /** NON_STARVING, STARVING or AGGRESSIVELY_STARVING: its state before this plan. */
  readonly starvation: Uint8Array;
  readonly starvingSince: Float64Array;
}

/** Values of a flag that a pool may leave to its parent. */
export const INHERITED = 2;

export type FifoParameter = 'weight' | 'startTime' | 'pendingJobCount';

/** Pools are numbered depth first, siblings by name. */
export interface PoolColumns {
  readonly count: number;
  readonly paths: readonly string[];
  readonly number: ReadonlyMap<string, number>;
  readonly enforcing: Uint8Array;
  readonly fifo: Uint8Array;
  readonly fifoParameters: readonly (readonly FifoParameter[])[];
  /** -1 = not named. */
  readonly guaranteed: Float64Array;
  /** 0, 1 or INHERITED. */
  readonly enableAggressive: Uint8Array;
  readonly allowAggressive: Uint8Array;
  readonly allowNormal: Uint8Array;
}

/** Operations are numbered by id. */
export interface OperationColumns {
  readonly count: number;
  readonly ids: readonly string[];
  readonly users: readonly (string | undefined)[];
  readonly submittedAt: Float64Array;
  readonly suspended: Uint8Array;
  readonly gang: Uint8Array;
  readonly graceful: Uint8Array;
  readonly filter: readonly LabelSet[];
  /** NaN = that of the settings. */
  readonly preemptionTimeout: Float64Array;
  /** How many allocations it waits for. */
  readonly pending: Float64Array;
  /** Its pending entries are the asks from `firstAsk[o]` below `firstAsk[o + 1]`, in its own order. */
  readonly firstAsk: Int32Array;
  /** Its running allocations, oldest first: `byOperation[i]` for i from `firstAllocation[o]` below `firstAllocation[o + 1]`. */
  readonly firstAllocation: Int32Array;
  readonly byOperation: Int32Array;
}

/** Pending entries that ask for something. Those that ask for the same on the same nodes are of one kind. */
export interface AskColumns {
  readonly count: number;
  readonly operation: Int32Array;
  /** Its place in `pending` of the application. */
  readonly place: Int32Array;
  readonly waiting: Float64Array;
  readonly kind: Int32Array;
  readonly kindCount: number;
  /** The amounts that one allocation of a kind asks for. */
  readonly size: Float64Array;
  /** The label sets that a node has to match, by kind: of the entry and of its operation. */
  readonly labels: readonly (readonly LabelSet[])[];
}

/** Allocations are numbered from the oldest to the newest: by the start of the last job, then id. */
export interface FairShareAllocationColumns {
  readonly count: number;
  readonly ids: readonly string[];
  readonly uids: readonly (string | undefined)[];
  readonly operation: Int32Array;
  /** -1 = not known. */
  readonly node: Int32Array;
  readonly size: Float64Array;
  /** Of the last job. */
  readonly startedAt: Float64Array;
  /** Its own, else its application's, else 0; for the setting `protect` alone. */
  readonly priority: Float64Array;
  readonly running: Uint8Array;
  readonly daemon: Uint8Array;
  /** 1 where the allocation itself states that it is never to be taken. */
  readonly protected: Uint8Array;
  /** 1 where it is asked not to take it: it comes last in its group. */
  readonly optedOut: Uint8Array;
  readonly interruptible: Uint8Array;
}
