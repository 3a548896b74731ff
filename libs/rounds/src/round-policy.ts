import type { DataSource } from 'typeorm';
import type { ClusterDriver, ClusterReader, RoundScope } from '#clusters';
import type { PolicySettings } from '#configuration';
import type { ClusterSnapshot, DomainEvent } from '#contracts';
import type { EventName } from '#contracts/events';
import type { OpeningTerms, PlanInBrief, PlannedVictim, RunState, Stop, VictimOutcome } from '#enforcement';
import type { KnownEvent, Tx } from '#event-store';
import type { WakeUp } from '#timers';
import type { PlannedRound, PlanningTerms } from './planned-round.js';
import type { Round } from './round-table.js';

/** Writes in the transaction that records an event. */
export type Effect = (tx: Tx) => Promise<void>;

/** The resources that the steps of a policy read and change. */
export interface Places {
  db: DataSource;
  cluster: ClusterDriver;
}

/** The run of a round, as the executor has it. */
export interface RoundRun {
  readonly state: RunState;
  /** Takes in events, to be recorded with the next `record`. */
  note(events: DomainEvent[]): void;
  /** Records all noted events, and `effect` in the same transaction. */
  record(options?: { effect?: Effect }): Promise<void>;
}

/** A victim of a run that was given up, and its outcome. */
export type SettledVictim = Pick<PlannedVictim, 'allocation' | 'application'> & { outcome: VictimOutcome };

/** A run that was given up without being loaded. */
export interface GivenUpRun extends Pick<PlanInBrief, 'policy' | 'partition' | 'enforcement'> {
  settings: unknown;
}

/** Timers of a policy, besides that of its interval, that request a round. The policy sets and clears them itself. */
export interface OwnTimers {
  readonly kind: string;
  /** The events whose recording may set them. */
  readonly events: readonly EventName[];
  /** The timers that events have set: wake-ups are requested for them. A missed wake-up costs time, but no timer. */
  setBy(events: readonly KnownEvent[]): WakeUp[];
}

/** Work that rounds of a policy do not select until a time. */
export interface Exemption {
  kind: 'application' | 'allocation';
  name: string;
  /** RFC 3339 */
  until: string;
}

/** A table of a policy whose rows are of no use after a while. */
export interface OwnTrim {
  readonly table: string;
  /**
   * Deletes rows that are this many days old, the oldest first.
   *
   * @returns the number of deleted rows; fewer than `limit` if none is left.
   */
  trim(db: DataSource, days: number, limit: number): Promise<number>;
}

/** A gauge that only one policy has, over all partitions. */
export interface OwnGauge {
  readonly name: string;
  readonly help: string;
  readonly labels: readonly string[];
  /** Counts the value of each combination of labels, also where it is 0. */
  count(db: DataSource): Promise<{ labels: Readonly<Record<string, string>>; value: number }[]>;
}

/**
 * A policy that plans a partition periodically: the behaviour of its rounds, and of the runs of their plans, that
 * depends on the policy. The callers settle and release the round.
 */
export interface RoundPolicy {
  readonly name: string;
  /**
   * The interval of the rounds of a partition, in milliseconds; undefined: no round begins.
   *
   * @param settings of the configuration in force; undefined: it does not name the policy.
   * @param usualMs the interval of policies that have none in their settings.
   */
  intervalMs(settings: PolicySettings | undefined, usualMs: number): number | undefined;
  readonly ownTimers?: OwnTimers;
  readonly ownGauge?: OwnGauge;
  readonly ownTrim?: OwnTrim;
  /**
   * The work that its rounds exempt for now, because evicting it failed or was rejected: applications first, by name, `limit` at most.
   * Absent: it exempts none.
   */
  exemptNow?(db: DataSource, partition: string, limit: number): Promise<Exemption[]>;
  /**
   * Rounds of a partition no longer begin: called in the transaction that clears their timer, again for each new
   * configuration, and in the transaction that settles a round that had begun before.
   */
  switchedOff?(tx: Tx, partition: string, at: Date): Promise<void>;
  /** Rounds of a partition begin again: called in the transaction that sets their timer. */
  switchedOn?(tx: Tx, partition: string): Promise<void>;
  /**
   * Takes the snapshot of a whole partition for a round.
   *
   * @param scope.queues in place of those in force: of a configuration that is not in force.
   */
  takeSnapshot(db: DataSource, cluster: ClusterReader, scope: RoundScope): Promise<ClusterSnapshot>;
  /**
   * A round that began before the policy was switched off is planned nevertheless, with the settings `{enabled:
   * false}`, so that its result is shown; by default such a round is settled without a plan.
   */
  readonly plansSwitchedOff?: boolean;
  /** Plans a round. Throws InputError if the snapshot cannot be planned with these settings. */
  plan(round: Round, terms: PlanningTerms): Promise<PlannedRound>;
  /** Opens the run: decides once which victims are notified, wait or are killed, and records it. */
  open(places: Places, run: RoundRun, terms: OpeningTerms, stops: readonly Stop[]): Promise<void>;
  /**
   * Notifies the owners of victims, then records it. A crash in between notifies them twice, and never kills a victim whose owner was
   * not notified.
   */
  notify(places: Places, run: RoundRun, victims: readonly PlannedVictim[], at: Date): Promise<void>;
  /** Called before the first kill, each time that a process continues the run. */
  beforeKills?(places: Places, state: RunState): Promise<void>;
  /**
   * The facts about a victim that the policy's own checks need (`OwnChecks`), right before it is asked to finish or killed;
   * undefined: none. Throws if the cluster does not answer.
   */
  ownFacts?(places: Places, victim: PlannedVictim, partition: string): Promise<object | undefined>;
  /** The changes outside the log at the end of the run. */
  atEnd(places: Places, state: RunState, at: Date): Promise<Effect>;
  /**
   * The same for a run that was given up.
   *
   * @param settled all victims.
   */
  atGivingUp(tx: Tx, run: GivenUpRun, settled: readonly SettledVictim[]): Promise<void>;
}
