/**
 * A checked snapshot as columns: ids became numbers, amounts stand in typed arrays. It is read once and planned with often, under
 * any policy; no one writes to it after `readSnapshot`. Data that only one policy needs is kept as it was given and not checked: that
 * policy checks it when it plans, and makes its own columns of it.
 */
export interface Snapshot {
  readonly partition: string;
  /** Milliseconds since 1970, NaN where it is absent. */
  readonly takenAt: number;
  /** All resource types that occur anywhere but in `properties`, in UTF-16 order; a type's number is its place here. */
  readonly types: readonly string[];
  readonly typeNumber: ReadonlyMap<string, number>;
  /** 1 for types that an allocation, a pending request or a node has. */
  readonly typeInUse: Uint8Array;
  /** Types that allocations name with the amount 0; they may stand in `types` or not. */
  readonly typesAtZero: readonly string[];
  /** These as they were given and not checked. */
  readonly budgets: unknown;
  readonly recentVictims: unknown;
  readonly nodes: NodeColumns;
  readonly queues: QueueColumns;
  readonly applications: ApplicationColumns;
  readonly allocations: AllocationColumns;
}

/** Amounts that things name, zeros too: thing `thing[i]` names `amount[i]` of the type `type[i]`. */
export interface AmountColumns {
  readonly thing: Int32Array;
  readonly type: Int32Array;
  readonly amount: Float64Array;
}

/** Nodes are numbered as they stood in the input. */
export interface NodeColumns {
  readonly count: number;
  readonly ids: readonly string[];
  readonly capacity: AmountColumns;
  /** Whether any node names a capacity, be it an empty one. */
  readonly haveCapacity: boolean;
  /** These as they were given and not checked. */
  readonly labels: readonly unknown[];
  readonly schedulable: readonly unknown[];
  readonly properties: readonly unknown[];
}

/** An application or allocation of the queue `root`, which is not listed. Some policies let it be left out. */
export const UNLISTED_ROOT = -2;

/**
 * Queues are numbered depth first, siblings by name, so that a queue and all below it are the numbers from `q` up to but
 * not including `end[q]`, and parents come before their children.
 */
export interface QueueColumns {
  readonly count: number;
  readonly paths: readonly string[];
  /** Where each stood in the input, for the paths of errors. */
  readonly inputPlace: Int32Array;
  /** As they were given and not checked: a policy reads those that it knows. */
  readonly properties: readonly unknown[];
  readonly number: ReadonlyMap<string, number>;
  /** -1 for a top queue, also where its parent is a `root` that is not listed. */
  readonly parent: Int32Array;
  readonly end: Int32Array;
  /** As it was given and not checked. */
  readonly dynamic: readonly unknown[];
  readonly enforcing: Uint8Array;
  readonly limits: AmountColumns;
  readonly guarantees: AmountColumns;
}

/** Applications are numbered as they stood in the input. */
export interface ApplicationColumns {
  readonly count: number;
  readonly ids: readonly string[];
  readonly users: readonly (string | undefined)[];
  /** -1 = not named; UNLISTED_ROOT. */
  readonly queue: Int32Array;
  readonly priority: readonly number[];
  /** Milliseconds since 1970, NaN where it is absent. */
  readonly submittedAt: readonly number[];
  /** These as they were given and not checked; gangs are fewer than the others where the last have none. */
  readonly properties: readonly unknown[];
  readonly gangs: readonly unknown[];
  readonly pending: PendingColumns;
}

/**
 * The requests that applications wait for. The requests of application `a` are those from `first[a]` below `first[a + 1]`; request `r`
 * asks `count[r]` times for the entries from `firstEntry[r]` below `firstEntry[r + 1]`: a type and an amount each, zeros too.
 */
export interface PendingColumns {
  readonly first: readonly number[];
  readonly count: readonly number[];
  readonly firstEntry: readonly number[];
  readonly entryType: readonly number[];
  readonly entryAmount: readonly number[];
  /** As it was given and not checked. */
  readonly nodeSelector: readonly unknown[];
}

/** Roles are numbered in the order in which rules 0 and 1 of docs/reference/policies/quota-decrease.md §5 take them. */
export const PLACEHOLDER = 0;
export const TASK = 1;
export const ORIGINATOR = 2;
export const DAEMON = 3;

export const BY_MARK = 1;
export const BY_QUEUE = 2;

export const RUNNING = 0;

/** By the place of the allocation in the input, also where allocations have other numbers: few of them are read. */
export interface AllocationTexts {
  readonly uids: readonly (string | undefined)[];
  readonly nodes: readonly (string | undefined)[];
  readonly startedAt: readonly string[];
}

/** Allocations are numbered as they stood in the input; no decision may depend on that. */
export interface AllocationColumns {
  readonly count: number;
  readonly ids: readonly string[];
  readonly texts: AllocationTexts;
  readonly application: Int32Array;
  /** UNLISTED_ROOT is possible. */
  readonly queue: Int32Array;
  /** Its own, else its application's, else 0. */
  readonly priority: Float64Array;
  /** Milliseconds since 1970. */
  readonly startedAt: Float64Array;
  readonly role: Uint8Array;
  /** 1 where `allowPreemption` is false. */
  readonly optedOut: Uint8Array;
  /** BY_MARK where the allocation itself states that it is never to be taken, BY_QUEUE where only a queue does, else 0. */
  readonly protected: Uint8Array;
  /** RUNNING, or anything else. */
  readonly state: Uint8Array;
  /** These as they were given and not checked; shorter than the others where the last have none. */
  readonly lastJobStartedAt: readonly unknown[];
  readonly interruptible: readonly unknown[];
  readonly budgets: readonly unknown[];
  readonly checkpointedAt: readonly unknown[];
  /** The number of its size: allocations that use the same mostly have the same. There are `sizeCount`. */
  readonly size: Int32Array;
  readonly sizeCount: number;
  /** Size `s` consists of the entries from `firstEntry[s]` below `firstEntry[s + 1]`: a type and an amount above 0 each, by type. */
  readonly firstEntry: Int32Array;
  readonly entryType: Int32Array;
  readonly entryAmount: Float64Array;
}
