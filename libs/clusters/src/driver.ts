import type {
  ClusterSnapshot,
  Resources,
  SnapshotAllocation,
  SnapshotApplication,
  SnapshotNode,
} from '@curtail/contracts';
import type { Tx } from '@curtail/event-store';

/** What a queue and all queues below it use, in every state, and the part of it that is already leaving. */
export interface QueueUsage {
  usage: Resources;
  inFlight: Resources;
}

/** An application as it would stand in a snapshot of this moment, with what it uses. */
export interface LiveApplication extends QueueUsage {
  application: SnapshotApplication;
}

/** A node as it would stand in a snapshot of this moment, with what is used of it. */
export interface LiveNode extends QueueUsage {
  node: SnapshotNode;
}

export interface EvictionRequest {
  partition: string;
  allocation: string;
  /** The incarnation that may be killed; another one under the same id is left alone. Absent: the id is enough. */
  uid?: string;
  /** How long the owner has to finish, in seconds. */
  graceSeconds: number;
  /** Names this kill; the same id sent twice is one kill. */
  evictionId: string;
  /** Of the lock under which it was ordered: a request with a smaller one is of a run that has lost its lock. */
  fencingToken: number;
  /** One sentence that the owner of the work can be told. */
  reason: string;
}

/** What the owner of an allocation is told before it is evicted. */
export interface EvictionAnnouncement {
  partition: string;
  allocation: string;
  uid?: string;
  application: string;
  queue: string;
  /** Not before. */
  killAt: Date;
  /** One sentence that the owner of the work can be told. */
  reason: string;
}

/** Room that is being freed on a node, and for whom. */
export interface Nomination {
  partition: string;
  node: string;
  application: string;
  resources: Resources;
  /** Afterwards nothing is kept free any more. */
  until: Date;
}

export type EvictionAnswer =
  /** `repeated`: the allocation was leaving already, through this kill or another. */
  | { kind: 'accepted'; repeated: boolean }
  | { kind: 'gone' }
  | { kind: 'other-incarnation'; uid: string }
  | { kind: 'refused'; retryable: boolean; code: string; message: string; retryAfterMs?: number }
  /** The gate was closed: nothing was requested from the cluster. */
  | ({ kind: 'withheld' } & Withheld);

/** Why a request must not be made. */
export interface Withheld {
  code: string;
  message: string;
}

/**
 * Checks whether requests may still be made. A driver runs it in the transaction in which it makes them, as the last thing before,
 * and what it finds holds until the commit. It may set limits and take locks for the rest of that transaction.
 *
 * @returns by eviction id, those that must not be made.
 */
export type EvictionGate = (
  tx: Tx,
  requests: readonly EvictionRequest[],
) => Promise<ReadonlyMap<string, Withheld>>;

/**
 * The side of a cluster that can be looked at. Replay, what-if and simulation get only this: what cannot evict cannot
 * kill by mistake.
 */
export interface ClusterReader {
  readonly name: string;
  /**
   * Whether the partition is known well enough to evict by: what is kept of a cluster elsewhere may be old, or a part of it.
   * A snapshot says so by itself. Absent: it always is.
   *
   * @throws InputError with a sentence that says what is missing.
   */
  assertKnown?(partition: string): Promise<void>;
  /**
   * The queue, everything below it and its chain of ancestors; without `queue` the whole partition. All nodes are listed.
   * Queues are those the cluster knows, without limits: max and guaranteed come from the configuration in force.
   *
   * `takenAt` is the moment for which it is known to be true, by the clock of the database: of what is told of from elsewhere, the
   * moment of what was told last. It does not go back, and may stand still.
   *
   * Work beside the queue is not in it, so an ancestor seems to use less than it does. Floors hold for the whole chain
   * (docs/reference/policies/quota-decrease.md §6.1): where an ancestor has a guaranteed amount, ask for the topmost such ancestor
   * and plan for the queue; for a node-aware plan ask for the whole partition.
   *
   * @param scope.most allocations that it may have; absent: any number.
   * @throws TooManyAllocations if there are more.
   */
  snapshot(scope: { partition: string; queue?: string; most?: number }): Promise<ClusterSnapshot>;
  /** The capacities of all nodes of the partition together, in base units; `{}` while no nodes are known. */
  capacity(partition: string): Promise<Resources>;
  /** The resource types that an allocation, a pending request or a node of the partition has. */
  resourceTypes(partition: string): Promise<Set<string>>;
  /** Usage of each of the queues; a queue without work has empty amounts. */
  usage(partition: string, queues: string[]): Promise<Map<string, QueueUsage>>;
  /** One allocation as it is now, or undefined if none stands under this id. */
  allocation(partition: string, id: string): Promise<SnapshotAllocation | undefined>;
  /**
   * One application as it is now, or undefined if a snapshot of the partition would not have it. One or two statements that read
   * its own allocations and no others: it is asked before each kill.
   */
  application(partition: string, id: string): Promise<LiveApplication | undefined>;
  /** One node as it is now, or undefined if a snapshot of the partition would not have it; as quick as `application`. */
  node(partition: string, id: string): Promise<LiveNode | undefined>;
  /** Of these allocations, the uids of those whose owners have said that they may go now. Absent: no owner can say that. */
  readyToGo?(partition: string, allocations: string[]): Promise<Set<string>>;
  /** Allocations of a queue and below it, by id, for people to look at. */
  allocations(query: {
    partition: string;
    queue?: string;
    after?: string;
    limit: number;
  }): Promise<SnapshotAllocation[]>;
}

/** A cluster that Curtail may evict from. Every adapter passes `test/contracts/cluster-driver.ts`. */
export interface ClusterDriver extends ClusterReader {
  /**
   * Never throws for an answer of the cluster; a throw means that the answer is not known (and is asked for again).
   *
   * @param gate checked in the transaction that makes the request; not asked where the answer is known without a request.
   */
  evict(request: EvictionRequest, gate: EvictionGate): Promise<EvictionAnswer>;
  /**
   * Whether the cluster carried this kill out: true, it accepted it; false, it was never asked, or did not do it. Undefined: it was
   * asked, and has not answered.
   */
  carriedOut(evictionId: string): Promise<boolean | undefined>;
  /** Until when a request of this kill that nobody has answered may still be carried out; undefined: none may. Absent: never. */
  openUntil?(evictionId: string): Promise<Date | undefined>;
  /**
   * Of a request that was never answered and that cannot be carried out any more: a sentence that says why, as far as that is known.
   * Undefined: it is not such a one. Absent: every request is answered.
   */
  unanswered?(evictionId: string): Promise<string | undefined>;
  /** Allocations that count as running, and for which a request is open that may still be carried out. Absent: none ever is. */
  requested?(partition: string): Promise<{ evictionId: string; queue: string; resources: Resources }[]>;
  /**
   * Has the owners told, soon; that they were is not waited for. The same announcement may come twice. Absent: there is no way
   * to tell them but the event VictimNotified.
   */
  announce?(announcements: EvictionAnnouncement[]): Promise<void>;
  /**
   * Says for whom room is about to be freed, so that a scheduler can keep it for them. A hint: absent, or lost, the scheduler
   * gives the room to whom it finds first.
   */
  nominate?(nominations: Nomination[]): Promise<void>;
}
