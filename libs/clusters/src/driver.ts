import type {
  ClusterSnapshot,
  Resources,
  SnapshotAllocation,
  SnapshotApplication,
  SnapshotNode,
} from '#contracts';
import type { Tx } from '#event-store';

/** Usage of a queue and all queues below it, in every state, and the part of it that is already leaving. */
export interface QueueUsage {
  usage: Resources;
  inFlight: Resources;
}

/** An application as a snapshot of this moment would show it, with its usage. */
export interface LiveApplication extends QueueUsage {
  application: SnapshotApplication;
}

/** An application by what runs of it in a queue and below. */
export interface RunningApplication extends QueueUsage {
  id: string;
  /** The first of its queues by name, where it has several. */
  queue: string;
  user: string | null;
  allocations: number;
  /** Of its first allocation. */
  startedAt: Date;
}

/** A gang at this moment. docs/reference/policies/victim-care.md §7 */
export interface LiveGang {
  minMembers: number;
  /** Its running allocations with the role `task` or `originator`, by uid. */
  members: string[];
}

/** A node as a snapshot of this moment would show it, with its usage. */
export interface LiveNode extends QueueUsage {
  node: SnapshotNode;
}

export interface EvictionRequest {
  partition: string;
  allocation: string;
  /** The incarnation that may be killed; another one under the same id is spared. Absent: the id is enough. */
  uid?: string;
  /** Seconds that the owner has to finish. */
  graceSeconds: number;
  /** Names this kill; the same id sent twice is one kill. */
  evictionId: string;
  /** The token of the lock under which it was ordered: a request with a smaller one belongs to a run that has lost its lock. */
  fencingToken: number;
  /** One sentence to show to the owner of the work. */
  reason: string;
  /** By which a platform can judge for itself whether the eviction is still right. */
  basis?: EvictionBasis;
}

/** The facts that an eviction rests on. docs/how-to/connect-a-scheduler.md, "Refuse what is outdated" */
export interface EvictionBasis {
  /** The moment of the snapshot that the plan was made from. */
  takenAt: string;
  /** The quota that the run enforces, in base units. */
  quota?: { queue: string; max: Resources };
  /** The guaranteed amounts of the queue of the victim and of those above it, from the root on. */
  floors?: { queue: string; guaranteed: Resources }[];
}

/** Notifies the owner of an allocation before the eviction. */
export interface EvictionAnnouncement {
  partition: string;
  allocation: string;
  uid?: string;
  application: string;
  queue: string;
  /** The earliest time of the eviction. */
  killAt: Date;
  /** One sentence to show to the owner of the work. */
  reason: string;
}

/** Room that is being freed on a node for an application. */
export interface Nomination {
  partition: string;
  node: string;
  application: string;
  resources: Resources;
  /** When the reservation ends. */
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
 * Checks whether requests may still be made. A driver calls it in the transaction that makes them, as the last step before them. Its
 * result holds until the commit. It may set limits and take locks for the rest of that transaction.
 *
 * @returns the requests that must not be made, by eviction id.
 */
export type EvictionGate = (
  tx: Tx,
  requests: readonly EvictionRequest[],
) => Promise<ReadonlyMap<string, Withheld>>;

/** A page of a list by id. */
export interface ListQuery {
  partition: string;
  /** Absent: the whole partition. */
  queue?: string | undefined;
  /** The last id of the page before. */
  after?: string | undefined;
  /** From 1 to 10,000. */
  limit: number;
}

/** How long it is until a snapshot is planned: time for a very large queue, for its changes, or only for other large queues. */
export type AheadOfPlan = 'long' | 'again' | 'shortly';

/** `queue` absent: the whole partition; `most` absent: any number of allocations. */
export interface SnapshotScope {
  partition: string;
  queue?: string;
  most?: number;
}

/**
 * The read side of a cluster. Replay, what-if and simulation get nothing else: a reader cannot evict, so it cannot kill by mistake.
 */
export interface ClusterReader {
  readonly name: string;
  /**
   * Checks that the partition is known well enough to evict by: the copy of a remote cluster may be stale or incomplete.
   * `snapshot` checks the same. Absent: the partition is always known.
   *
   * @throws InputError whose message names what is missing.
   */
  assertKnown?(partition: string): Promise<void>;
  /**
   * The queue, everything below it and its chain of ancestors; without `queue` the whole partition. All nodes are listed.
   * Queues are those the cluster knows, without limits: max and guaranteed come from the configuration in force.
   *
   * `takenAt` is the moment for which the snapshot is known to be true, by the clock of the database; for a reported cluster, the time
   * of the latest report. It never goes back, and may stay the same.
   *
   * Work beside the queue is not in it, so an ancestor seems to use less than it does. Floors hold for the whole chain
   * (docs/reference/policies/quota-decrease.md §6.1): where an ancestor has a guaranteed amount, ask for the topmost such ancestor
   * and plan for the queue; for a node-aware plan ask for the whole partition.
   *
   * @param scope.most allocations that it may have; absent: any number.
   * @throws TooManyAllocations if there are more.
   */
  snapshot(scope: SnapshotScope): Promise<ClusterSnapshot>;
  /**
   * Reads what a snapshot of a large queue will need: that one then reads only what has changed. Does nothing for other queues. Absent:
   * every snapshot reads everything.
   *
   * @param ahead `long`: reads a very large queue, if none is kept; `again`: reads it if it is kept; `shortly`: reads other large queues.
   * @returns what it read; undefined for other queues. The next snapshot has the same objects for all allocations that have not changed.
   * @throws as `snapshot`.
   */
  readAhead?(scope: SnapshotScope, ahead: AheadOfPlan): Promise<ClusterSnapshot | undefined>;
  /** The capacities of all nodes of the partition together, in base units; `{}` while no nodes are known. */
  capacity(partition: string): Promise<Resources>;
  /** The resource types that an allocation, a pending request or a node of the partition has. */
  resourceTypes(partition: string): Promise<Set<string>>;
  /** Usage of each of the queues; a queue without work has empty amounts. */
  usage(partition: string, queues: string[]): Promise<Map<string, QueueUsage>>;
  /**
   * A text for each of these queues that stays the same as long as a snapshot of it would say the same, apart from `takenAt`. Queues are
   * missing whose snapshot also changes with the time, as with work that is leaving. Absent: that is never known.
   */
  versions?(partition: string, queues: readonly string[]): Promise<Map<string, string>>;
  /**
   * How many allocations each of these queues holds together with all queues below it, in every state until they are gone. Queues
   * without any are missing.
   *
   * @param tx to read in; absent: on a connection of its own.
   */
  held(partition: string, queues: readonly string[], tx?: Tx): Promise<Map<string, number>>;
  /** The queues that have allocations of their own, those that are leaving included, by path. */
  queuesWithWork(partition: string): Promise<string[]>;
  /** One allocation as it is now, or undefined if none has this id. */
  allocation(partition: string, id: string): Promise<SnapshotAllocation | undefined>;
  /**
   * One application as it is now, or undefined if a snapshot of the partition would not have it. One or two statements that read
   * its own allocations and no others: it is asked before each kill.
   */
  application(partition: string, id: string): Promise<LiveApplication | undefined>;
  /** One node as it is now, or undefined if a snapshot of the partition would not have it; as quick as `application`. */
  node(partition: string, id: string): Promise<LiveNode | undefined>;
  /**
   * How many more allocations of each of these disruption budgets may go now: what it allows, less the evictions that were requested since
   * the cluster said so. Budgets that the cluster does not know are missing: they allow nothing.
   *
   * @param but an eviction that does not count: its own request may be among them.
   */
  budgetsLeft(partition: string, budgets: string[], but?: string): Promise<Map<string, number>>;
  /** The gangs among these applications, with their members as they run now; applications without a gang are missing. */
  gangs(partition: string, applications: string[]): Promise<Map<string, LiveGang>>;
  /** The uids of those of these allocations whose owners are ready to lose them now. Absent: owners cannot report that. */
  readyToGo?(partition: string, allocations: string[]): Promise<Set<string>>;
  /** Allocations of a queue and below it, by id, for display. */
  allocations(query: ListQuery): Promise<SnapshotAllocation[]>;
  /** Applications with allocations in a queue and below it, by id, for display. */
  applications(query: ListQuery): Promise<RunningApplication[]>;
}

/** A cluster that Curtail may evict from. Every adapter passes `test/contracts/cluster-driver.ts`. */
export interface ClusterDriver extends ClusterReader {
  /**
   * Never throws for an answer of the cluster. A throw means that the answer is unknown; the caller requests the eviction again.
   *
   * @param gate called in the transaction that makes the request; not called if the answer is known without a request.
   */
  evict(request: EvictionRequest, gate: EvictionGate): Promise<EvictionAnswer>;
  /**
   * Whether the cluster carried this kill out: true, it accepted it; false, it was never asked, or did not do it. Undefined: it was
   * asked, and has not answered.
   */
  carriedOut(evictionId: string): Promise<boolean | undefined>;
  /** Until when an unanswered request for this kill may still be carried out; undefined: there is none. Absent: there never is one. */
  openUntil?(evictionId: string): Promise<Date | undefined>;
  /**
   * For a request that was never answered and can no longer be carried out: a sentence with the reason, as far as it is known.
   * Undefined for any other request. Absent: every request is answered.
   */
  unanswered?(evictionId: string): Promise<string | undefined>;
  /** Allocations that count as running and have an open request that may still be carried out. Absent: there never are any. */
  requested?(partition: string): Promise<{ evictionId: string; queue: string; resources: Resources }[]>;
  /**
   * Notifies the owners soon; it does not wait for delivery. An announcement may arrive twice. Absent: the event VictimNotified is
   * the only notification.
   */
  announce?(announcements: EvictionAnnouncement[]): Promise<void>;
  /**
   * Announces the applications that room is about to be freed for, so that a scheduler can reserve it. This is a hint: without it the
   * scheduler gives the room to the first application that fits.
   */
  nominate?(nominations: Nomination[]): Promise<void>;
}
