import { covers, type Limit, type Notice, ofPartition, ofQueue, type Resources } from '#contracts';
import type { Mode, ModeInForce } from '../mode/mode-in-force.js';

/** What stops evictions: a kill switch, unless it says otherwise. `queue` null = the whole partition; a queue covers everything below it. */
export interface Stop {
  queue: string | null;
  by: string;
  /** null as absent: a table has null. */
  reason?: string | null;
  /** RFC 3339: it is a freeze in effect, and ends by itself. */
  frozenUntil?: string;
  /** The configuration sets it, not an operator. */
  configured?: boolean;
  /** The sentence of a hold of another kind, which no command of operators ends. */
  said?: string;
}

/** A clock that a freeze holds. */
export interface Frozen {
  /** RFC 3339: the end of this freeze and of those that follow it without a gap. */
  until: string;
  /** The freeze that ends last. */
  freeze: Stop;
}

export interface RunLimits {
  /** At most so many orders within any second; a whole number from 1. */
  victimsPerSecond: number;
  /** Victims that are checked and ordered together, at most; a whole number from 1. Those of a round go one by one. */
  victimsAtOnce: number;
  /** Orders of one victim, the first included. */
  maxAttempts: number;
  /** Between the first refusal and the second order; doubled with each further one. */
  backOffMs: number;
  maxBackOffMs: number;
}

/** One decision about all runs that a version of the configuration causes. */
export interface ChangeDecision {
  configuration: number;
  approved: boolean;
  by: string;
  reason?: string;
}

/** The conditions that control a run and may change between two kills. Read again for every step. */
export interface RunControl {
  mode: Mode;
  /** Absent: the mode was set for the partition. */
  modeBecause?: ModeInForce['because'];
  /** Those that are set in the partition. */
  stops: readonly Stop[];
  /** Of the lock that the queue has now; undefined = the queue is not locked. */
  fencingToken: number | undefined;
  limits: RunLimits;
  /** The limit of the enforced queue in the current configuration, and whether its quotas are enforced. */
  inForce: Limit & { enabled: boolean };
  /** What an operator has decided about all runs of the configuration that causes this one. */
  change?: ChangeDecision | undefined;
  /** The ceiling of the partition that the evictions which were to be ordered now would exceed. */
  ceiling?: Notice | undefined;
  /** The capacities of all nodes, by which a share of the cluster becomes amounts; `{}` while no nodes are known. */
  clusterSize: Resources;
  /** Why the cluster is unknown, a clause; absent: it is known, or the deadline of the run has not passed. */
  unknownCluster?: string | undefined;
}

/** The kill switch that covers a queue below the enforced one: its victims are spared, and the run continues. */
export function stopOf(
  { partition, queue }: { partition: string; queue: string },
  control: Pick<RunControl, 'stops'>,
): Notice | undefined {
  const stop = coveringStop(queue, control.stops);
  return stop && stopped(stop, partition);
}

/** The first kill switch that covers a queue. */
export function coveringStop(queue: string, stops: readonly Stop[]): Stop | undefined {
  return stops.find((set) => covers(set.queue, queue));
}

export function stopped(stop: Stop, partition: string): Notice {
  const about = stop.queue === null ? ofPartition(partition) : ofQueue(stop.queue);
  const code = stop.frozenUntil === undefined ? 'stopped' : 'frozen';
  return { code, message: stoppedBy(stop), about };
}

/** `User ann stopped evictions in root.a (reason).` */
export function stoppedBy({ queue, by, reason, frozenUntil, configured, said }: Stop): string {
  if (said !== undefined) return said;
  const where = queue ?? 'the partition';
  if (frozenUntil === undefined) return withReason(`User ${by} stopped evictions in ${where}`, reason);
  if (configured) return withReason(`The configuration freezes ${where} until ${frozenUntil}`, reason);
  return withReason(`User ${by} froze ${where} until ${frozenUntil}`, reason);
}

/** The sentence, with the reason of a person behind it if there is one. */
export function withReason(what: string, reason: string | null | undefined): string {
  return reason ? `${what} (${reason}).` : `${what}.`;
}

/** The usage of one queue, as the cluster reports it now. */
export interface LiveQueue {
  usage: Resources;
  inFlight: Resources;
  /** In force now; absent = none. */
  guaranteed?: Resources;
  /** A run enforces its quota. */
  enforcing?: boolean;
  /**
   * Held by allocations whose eviction was requested and not answered yet: the cluster still counts them as running,
   * and may evict them at any moment.
   */
  notYetLeaving?: Resources;
}
