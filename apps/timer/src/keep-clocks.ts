import { setTimeout as delay } from 'node:timers/promises';
import { CLUSTER_READER, type ClusterReader, type QueueUsage } from '@curtail/clusters';
import { topics } from '@curtail/contracts';
import type { ScheduleCommand } from '@curtail/enforcement';
import type { KnownEvent, Tx } from '@curtail/event-store';
import type { Consumer, Effects } from '@curtail/messaging';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Bell } from './bell.js';
import { letGoOn } from './let-go-on.js';
import { newEnforcement } from './new-enforcement.js';
import { KeepMonitors } from './rounds/keep-monitors.js';
import { ScheduleSession } from './schedule-session.js';
import { TIMER_SETTINGS, type TimerSettings } from './timer-settings.js';

const clockEvents = [
  'ConfigApplied',
  'QuotaChanged',
  'QueueRemoved',
  'EnforcementEnded',
  'CancelRequested',
] as const;
type ClockEvent = KnownEvent<(typeof clockEvents)[number]>;

const isClockEvent = (event: KnownEvent): event is ClockEvent =>
  (clockEvents as readonly string[]).includes(event.name) &&
  // The rounds of other policies have no clock of a queue.
  !(event.name === 'EnforcementEnded' && event.data.policy !== undefined);

/**
 * So many changes at once make other tables of these. With the old statistics, the few queues that run would be looked for
 * among all of them.
 */
const manyChanges = 500;
/** A burst is many batches: so long they gather before the statistics are renewed, once for all. */
const renewAfterMs = 2000;

const nothingUsed: QueueUsage = { usage: {}, inFlight: {} };

/**
 * Turns what happened to a queue into commands for its clock, and records what follows. The rounds of a partition are kept with
 * it (KeepMonitors): as a consumer of their own they would be brought each change of a quota too, for one event in thousands.
 *
 * It is promised the order within one queue and topic only. What matters beyond that is read, not heard: the switch in force
 * from its table, what runs and what is pending from the clock itself.
 */
@Injectable()
export class KeepClocks implements Consumer {
  readonly name = 'timer';
  readonly topics = [topics.quota, topics.enforcement, topics.control];
  readonly events = clockEvents;
  readonly batchSize = 1000;
  readonly patienceMs = 50;

  private renewing: Promise<unknown> | undefined;

  constructor(
    @Inject(TIMER_SETTINGS) private readonly settings: TimerSettings,
    @Inject(CLUSTER_READER) private readonly cluster: ClusterReader,
    @Inject(Bell) private readonly bell: Bell,
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(KeepMonitors) private readonly monitors: KeepMonitors,
  ) {}

  async handle(all: KnownEvent[]): Promise<Effects | undefined> {
    const events = all.filter(isClockEvent);
    if (events.length === 0) return undefined;
    const usage = await this.usageFor(events);
    return async (tx) => {
      const session = new ScheduleSession(tx, this.settings.leaseMs);
      // The clocks first: one that is switched meanwhile is at another version then, and the batch is handled again.
      const [, enabled] = await Promise.all([
        session.load(events.flatMap((event) => ('queue' in event.data ? [event.data] : []))),
        switches(
          tx,
          events.map((event) => event.data.partition),
        ),
      ]);
      const freed: { partition: string; queue: string }[] = [];
      for (const event of events) {
        const { partition } = event.data;
        const isOn = enabled.get(partition) ?? false;
        if (event.name === 'ConfigApplied') {
          await this.turnSwitch(session, event, isOn);
          continue;
        }
        const { queue } = event.data;
        if (event.name === 'QuotaChanged' && isOn) this.switchOnFirst(session, event);
        const command = this.commandFor(event, usage.get(`${partition}/${queue}`) ?? nothingUsed, isOn);
        const followed = session.decide(partition, queue, command);
        if (followed.some((follow) => follow.name === 'EnforcementReleased'))
          freed.push({ partition, queue });
      }
      const rings = await session.save();
      rings.push(...(await this.monitors.keep(tx, configured(events))));
      const toLookAt = await letGoOn(tx, freed);
      return () => {
        if (events.length >= manyChanges) this.renewStatistics();
        this.bell.arm(rings);
        for (const partition of toLookAt) this.bell.look(partition);
      };
    };
  }

  /** Behind the transaction, for whose lock others wait. */
  private renewStatistics(): void {
    this.renewing ??= delay(renewAfterMs, undefined, { ref: false })
      .then(() => this.db.query('ANALYZE schedules, timers'))
      // The database is away, or about to be closed: the server renews them too, later.
      .catch(() => {})
      .finally(() => {
        this.renewing = undefined;
      });
  }

  /** Only `shift` and the end of a run look at the usage: everything else is decided by the values alone. */
  private async usageFor(events: ClockEvent[]): Promise<Map<string, QueueUsage>> {
    const wanted = new Map<string, Set<string>>();
    for (const event of events) {
      const needed =
        event.name === 'EnforcementEnded' ||
        (event.name === 'QuotaChanged' && this.settings.policy.timerPolicy === 'shift');
      if (!needed) continue;
      const { partition, queue } = event.data;
      wanted.set(partition, (wanted.get(partition) ?? new Set()).add(queue));
    }
    const found = new Map<string, QueueUsage>();
    for (const [partition, queues] of wanted) {
      for (const [queue, usage] of await this.cluster.usage(partition, [...queues])) {
        found.set(`${partition}/${queue}`, usage);
      }
    }
    return found;
  }

  /** A switch that is not in force any more is not applied: the event of the one that is, is on its way. */
  private async turnSwitch(
    session: ScheduleSession,
    event: KnownEvent<'ConfigApplied'>,
    isOn: boolean,
  ): Promise<void> {
    const { partition, quotaPreemptionEnabled: on, previousQuotaPreemptionEnabled: before } = event.data;
    if (before === null || before === on || on !== isOn) return;
    for (const queue of await session.loadPending(partition)) {
      session.decide(partition, queue, { kind: 'turn-switch', at: event.time.toISOString(), on });
    }
  }

  /**
   * A clock that stands still although the switch is on has not heard of that yet: Kafka keeps the order of one queue only.
   * It is switched on before it is changed, or a due time long past would count.
   */
  private switchOnFirst(session: ScheduleSession, event: KnownEvent<'QuotaChanged'>): void {
    const { partition, queue } = event.data;
    if (!session.state(partition, queue).pending?.suspended) return;
    session.decide(partition, queue, { kind: 'turn-switch', at: event.time.toISOString(), on: true });
  }

  private commandFor(
    event: Exclude<ClockEvent, { name: 'ConfigApplied' }>,
    { usage, inFlight }: QueueUsage,
    enabled: boolean,
  ): ScheduleCommand {
    const { timerPolicy, afterRun } = this.settings.policy;
    const at = event.time.toISOString();
    switch (event.name) {
      case 'QuotaChanged': {
        const { previous, current } = event.data;
        return {
          kind: 'change-quota',
          at,
          previous,
          current,
          timerPolicy,
          usage,
          enabled,
          newEnforcement: newEnforcement(),
        };
      }
      case 'QueueRemoved':
        return { kind: 'remove-queue', at };
      case 'EnforcementEnded':
        return {
          kind: 'end-run',
          at,
          enforcement: event.data.enforcement,
          cause: 'ended',
          afterRun,
          usage,
          inFlight,
          enabled,
          newEnforcement: newEnforcement(),
        };
      case 'CancelRequested':
        return { kind: 'cancel-pending', at, enforcement: event.data.enforcement, by: event.data.by };
    }
  }
}

/** The partitions that have another configuration. */
const configured = (events: ClockEvent[]): string[] =>
  events.flatMap(({ name, data }) => (name === 'ConfigApplied' ? [data.partition] : []));

async function switches(tx: Tx, partitions: string[]): Promise<Map<string, boolean>> {
  const rows: { partition: string; enabled: boolean }[] = await tx.query(
    'SELECT partition, quota_preemption_enabled AS enabled FROM partitions WHERE partition = ANY ($1)',
    [partitions],
  );
  return new Map(rows.map((row) => [row.partition, row.enabled]));
}
