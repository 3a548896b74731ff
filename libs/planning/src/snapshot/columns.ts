/**
 * A checked snapshot as columns: ids became numbers, amounts stand in typed arrays, sums are made. It is read once and
 * planned with often; nobody writes to it after `readSnapshot`. What an absent field means is already worked in.
 *
 * A table of amounts by queue has one row a queue and one column a type: `table[queue * types.length + type]`.
 */
export interface Snapshot {
  readonly partition: string;
  /** Milliseconds since 1970, NaN where it is absent. */
  readonly takenAt: number;
  /** All resource types that occur anywhere, in UTF-16 order; a type's number is its place here. */
  readonly types: readonly string[];
  readonly typeNumber: ReadonlyMap<string, number>;
  /** 1 for types that an allocation, a pending request or a node has. */
  readonly typeInUse: Uint8Array;
  /** What all nodes have together, by type; null where no node names a capacity. Sums past 2^53 - 1 are rounded. */
  readonly capacity: Float64Array | null;
  readonly queues: QueueColumns;
  readonly applications: ApplicationColumns;
  readonly allocations: AllocationColumns;
}

/**
 * Queues are numbered depth first, siblings by name, so that a queue and all below it are the numbers from `q` up to but
 * not including `end[q]`, and parents come before their children.
 */
export interface QueueColumns {
  readonly count: number;
  readonly paths: readonly string[];
  /** Where each stood in the input, for the paths of errors. */
  readonly inputPlace: Int32Array;
  /** As they were given and not looked at: a policy reads those that it knows. */
  readonly properties: readonly unknown[];
  readonly number: ReadonlyMap<string, number>;
  /** -1 for a top queue. */
  readonly parent: Int32Array;
  readonly end: Int32Array;
  readonly dynamic: Uint8Array;
  readonly enforcing: Uint8Array;
  /** -1 = no limit. */
  readonly max: Float64Array;
  /** -1 = none. */
  readonly guaranteed: Float64Array;
  /** Of the queue and all below it, in every state. */
  readonly usage: Float64Array;
  /** The part of the usage that is releasing or preempting. */
  readonly inFlight: Float64Array;
  /** The allocations of queue q are `allocations.byQueue[i]` for i from `firstAllocation[q]` below `firstAllocation[q + 1]`. */
  readonly firstAllocation: Int32Array;
}

/** Applications are numbered as they stood in the input. */
export interface ApplicationColumns {
  readonly count: number;
  readonly ids: readonly string[];
  readonly users: readonly (string | undefined)[];
  /** -1 = not named. */
  readonly queue: Int32Array;
  readonly priority: readonly number[];
  /** Milliseconds since 1970, NaN where it is absent. */
  readonly submittedAt: readonly number[];
  /** As they were given and not looked at. */
  readonly properties: readonly unknown[];
  readonly pending: PendingColumns;
}

/**
 * What applications wait for. The requests of application `a` are those from `first[a]` below `first[a + 1]`; request `r`
 * asks `count[r]` times for the entries from `firstEntry[r]` below `firstEntry[r + 1]`: a type and an amount each, zeros too.
 */
export interface PendingColumns {
  readonly first: readonly number[];
  readonly count: readonly number[];
  readonly firstEntry: readonly number[];
  readonly entryType: readonly number[];
  readonly entryAmount: readonly number[];
}

/** Roles are numbered in the order in which rules 0 and 1 of docs/reference/policies/quota-decrease.md §5 take them. */
export const PLACEHOLDER = 0;
export const TASK = 1;
export const ORIGINATOR = 2;
export const DAEMON = 3;

export const RUNNING = 0;

/** Allocations are numbered as they stood in the input; no decision may depend on that. */
export interface AllocationColumns {
  readonly count: number;
  readonly ids: readonly string[];
  readonly uids: readonly (string | undefined)[];
  readonly nodes: readonly (string | undefined)[];
  readonly application: Int32Array;
  readonly queue: Int32Array;
  /** Its own, else its application's, else 0. */
  readonly priority: Float64Array;
  /** Milliseconds since 1970. */
  readonly startedAt: Float64Array;
  readonly startedAtTexts: readonly string[];
  readonly role: Uint8Array;
  /** 1 where `allowPreemption` is false. */
  readonly optedOut: Uint8Array;
  /** 1 where the allocation itself says that it is never to be taken. */
  readonly protected: Uint8Array;
  /** RUNNING, or anything else. */
  readonly state: Uint8Array;
  /**
   * What allocation `a` uses are the entries from `firstEntry[a]` below `firstEntry[a + 1]`: a type and an amount above 0
   * each, by type.
   */
  readonly firstEntry: Int32Array;
  readonly entryType: Int32Array;
  readonly entryAmount: Float64Array;
  readonly byQueue: Int32Array;
}
