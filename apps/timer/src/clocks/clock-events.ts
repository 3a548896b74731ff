import { setImmediate as statementsAreSent } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import {
  CLUSTER_READER,
  type ClusterReader,
  flappingInForce,
  type QueueOfPartition,
  type QueueUsage,
} from '#clusters';
import type { Flapping, Resources } from '#contracts';
import { type ClockCommand, coveringStop, type Stop, usageMatters } from '#enforcement';
import type { KnownEvent, Tx } from '#event-store';
import { type Holds, heldBy, holdsOf, noHolds } from '#holds';
import { TIMER_SETTINGS, type TimerSettings } from '../settings/timer-settings.js';
import { type ClockEvent, newEnforcement, turnsSwitch } from './clock-event.js';
import { ClockSession, type Saved } from './clock-session.js';
import { overtakenRequests } from './clock-statements.js';
import { usageAndSize } from './cluster-size.js';
import { withMissed } from './missed-changes.js';

type QueueEvent = Extract<
  ClockEvent,
  { name: 'QuotaChanged' | 'QueueRemoved' | 'EnforcementEnded' | 'CancelRequested' | 'EnforcementRequested' }
>;

type Ended = Extract<QueueEvent, { name: 'EnforcementEnded' }>;

/** The usage of a queue, and the size of the cluster where its limit follows that. */
interface Used extends QueueUsage {
  clusterSize: Resources;
}

/** Decisions that are saved together: the server writes them while the next ones are made. */
const decidedAtOnce = 250;

const nothingUsed: Used = { usage: {}, inFlight: {}, clusterSize: {} };

/** By partition and queue. */
export type UsageByQueue = ReadonlyMap<string, Used>;

/**
 * Turns events into commands for the clocks of queues and records their results. It relies on the order of one queue
 * and topic only: the switch and the kill switches in force are read from their tables, runs and pending clocks from
 * the clocks; a change of a quota that is older than the one applied last is ignored, and a change after a lost one is
 * applied together with it (`withMissed`). A request of a run is ignored where an operator has decided otherwise since
 * (`overtakenRequests`).
 */
@Injectable()
export class ClockEvents {
  constructor(
    @Inject(TIMER_SETTINGS) private readonly settings: TimerSettings,
    @Inject(CLUSTER_READER) private readonly cluster: ClusterReader,
    private readonly db: DataSource,
  ) {}

  /**
   * Only `shift`, the request of a run, and the end of one that a clock may follow depend on the usage: everything else is decided by
   * the values alone.
   */
  async usageFor(events: readonly ClockEvent[]): Promise<UsageByQueue> {
    const plain = new Set<ClockEvent>(plainEnds(events));
    return this.usageOf(
      events.filter(
        (event) =>
          (event.name === 'EnforcementEnded' && !plain.has(event)) ||
          event.name === 'EnforcementRequested' ||
          (event.name === 'QuotaChanged' && this.settings.policy.timerPolicy === 'shift'),
      ),
    );
  }

  private async usageOf(events: readonly ClockEvent[]): Promise<Map<string, Used>> {
    const wanted = new Map<string, Set<string>>();
    for (const { data } of events.filter(isOfQueue)) {
      const { partition, queue } = data;
      wanted.set(partition, (wanted.get(partition) ?? new Set()).add(queue));
    }
    const found = new Map<string, Used>();
    for (const [partition, queues] of wanted) {
      const { usage, clusterSize } = await usageAndSize(this.db, this.cluster, partition, [...queues]);
      for (const [queue, used] of usage) found.set(`${partition}/${queue}`, { ...used, clusterSize });
    }
    return found;
  }

  /**
   * In the order of the events.
   *
   * @param usage of `usageFor`, which is read before the transaction.
   */
  async apply(tx: Tx, events: readonly ClockEvent[], usage: UsageByQueue): Promise<Saved> {
    if (events.length === 0) return { wakeUps: [], toCheck: new Set() };
    const session = new ClockSession(tx, this.settings.leaseMs);
    const ends = plainEnds(events);
    const plain = new Set<ClockEvent>(ends);
    // The clocks come first: if one is switched meanwhile, its version differs then, and the batch is handled again.
    const changed = events.flatMap((event) => (event.name === 'QuotaChanged' ? [event.data] : []));
    const [, holds, flappingOf] = await Promise.all([
      session.load(events.flatMap((event) => (isOfQueue(event) ? [event.data] : []))),
      holdsOf(tx, partitionsOf(events.filter((event) => !plain.has(event)))),
      flappingInForce(tx, changed),
    ]);
    // Only their clocks show that a quota was changed during the run, which is rare.
    const followed = ends.filter(({ data }) => usageMatters(data, session.state(data.partition, data.queue)));
    const [usageOfFollowed, holdsOfFollowed] = await Promise.all([
      this.usageOf(followed),
      holdsOf(tx, partitionsOf(followed)),
    ]);
    const allUsage = new Map([...usage, ...usageOfFollowed]);
    const allHolds = new Map([...holds, ...holdsOfFollowed]);
    const freed: { partition: string; queue: string }[] = [];
    const overtaken = await overtakenRequests(tx, events);
    const inForce = events.filter(({ id }) => !overtaken.has(id));
    const all = await withMissed(tx, session, inForce);
    for (const [i, event] of all.entries()) {
      if (i > 0 && i % decidedAtOnce === 0) {
        session.write();
        await statementsAreSent();
      }
      const { partition } = event.data;
      const held = allHolds.get(partition) ?? noHolds;
      if (event.name === 'ConfigApplied') await turnSwitch(session, event, held);
      else if (event.name === 'FreezeCleared') await reviewFreezes(session, event, held);
      else if (!isOfQueue(event)) await turnStop(session, event, held);
      else if (this.decide(session, event, held, allUsage, flappingOf)) freed.push(event.data);
    }
    return session.save(freed);
  }

  /** @returns whether the lock of the queue was released. */
  private decide(
    session: ClockSession,
    event: QueueEvent,
    { enabled, stops }: Holds,
    usageByQueue: UsageByQueue,
    flappingOf: (of: QueueOfPartition) => Flapping,
  ): boolean {
    const { partition, queue } = event.data;
    const isChange = event.name === 'QuotaChanged' || event.name === 'QueueRemoved';
    if (isChange && !session.takeVersion(partition, queue, event.version)) return false;
    const stop = coveringStop(queue, stops);
    if (event.name === 'QuotaChanged' && enabled && !stop) switchOnFirst(session, event);
    const used = usageByQueue.get(`${partition}/${queue}`) ?? nothingUsed;
    const starting = { enabled, stop, newEnforcement: newEnforcement() };
    const command = this.commandFor(event, used, starting, flappingOf(event.data));
    const followed = session.decide(partition, queue, command);
    return followed.some(({ name }) => name === 'EnforcementReleased');
  }

  private commandFor(
    event: QueueEvent,
    used: Used,
    starting: { enabled: boolean; stop: Stop | undefined; newEnforcement: string },
    flapping: Flapping,
  ): ClockCommand {
    const { timerPolicy, afterRun, retryUnblocked } = this.settings.policy;
    const at = event.time.toISOString();
    switch (event.name) {
      case 'QuotaChanged': {
        const { previous, current } = event.data;
        const { usage } = used;
        return {
          ...starting,
          kind: 'change-quota',
          at,
          previous,
          current,
          timerPolicy,
          usage,
          flapping,
        };
      }
      case 'QueueRemoved':
        return { kind: 'remove-queue', at };
      case 'EnforcementEnded': {
        const { enforcement, outcome, shortfall, open = {}, retry, blocked } = event.data;
        return {
          ...starting,
          ...used,
          kind: 'end-run',
          at,
          enforcement,
          cause: 'ended',
          afterRun,
          outcome,
          shortfall: less(shortfall, open),
          retry: retry && { forMs: this.settings.deadlineMs },
          blocked,
          retryUnblocked,
        };
      }
      case 'EnforcementRequested':
        return { ...starting, ...used, kind: 'request-run', at, atOnce: event.data.atOnce };
      case 'CancelRequested':
        return { kind: 'cancel-pending', at, enforcement: event.data.enforcement, by: event.data.by };
    }
  }
}

const partitionsOf = (events: readonly ClockEvent[]) => events.map(({ data }) => data.partition);

/** The ends of runs that no clock follows, unless the quota was changed meanwhile: neither usage nor switches matter to them. */
function plainEnds(events: readonly ClockEvent[]): Ended[] {
  const keyOf = ({ data: { partition, queue } }: QueueEvent) => `${partition}/${queue}`;
  const ofQueues = events.filter(isOfQueue);
  const several = new Set<string>();
  const seen = new Set<string>();
  for (const key of ofQueues.map(keyOf)) (seen.has(key) ? several : seen).add(key);
  return ofQueues
    .filter((event): event is Ended => event.name === 'EnforcementEnded')
    .filter((event) => !several.has(keyOf(event)) && !usageMatters(event.data));
}

const ofPartitions = ['ConfigApplied', 'KillSwitchSet', 'KillSwitchCleared', 'FreezeCleared'];
const isOfQueue = (event: ClockEvent): event is QueueEvent => !ofPartitions.includes(event.name);

/** A switch that is no longer in force is not applied: the event of the newer one is on its way. */
async function turnSwitch(
  session: ClockSession,
  event: KnownEvent<'ConfigApplied'>,
  { enabled, stops }: Holds,
): Promise<void> {
  const { partition, quotaPreemptionEnabled: on } = event.data;
  if (!turnsSwitch(event) || on !== enabled) return;
  for (const queue of await session.loadPending(partition)) {
    if (on && coveringStop(queue, stops)) continue;
    session.decide(partition, queue, { kind: 'turn-switch', at: event.time.toISOString(), on });
  }
}

/** Holds the clocks below a kill switch while it is set, and resumes those without another hold once it is cleared. */
async function turnStop(
  session: ClockSession,
  event: KnownEvent<'KillSwitchSet' | 'KillSwitchCleared'>,
  { enabled, stops }: Holds,
): Promise<void> {
  const { partition, queue: covered, by } = event.data;
  const at = event.time.toISOString();
  for (const queue of await session.loadPending(partition, covered)) {
    const stop = coveringStop(queue, stops);
    if (event.name === 'KillSwitchSet') {
      if (stop) session.decide(partition, queue, { kind: 'turn-switch', at, on: false, stop });
    } else if (!stop && enabled) {
      session.decide(partition, queue, { kind: 'turn-switch', at, on: true, stop: { queue: covered, by } });
    }
  }
}

/** Clocks that waited for the end of a freeze that no longer holds are due, or wait for the end of another one. */
async function reviewFreezes(
  session: ClockSession,
  { data: { partition }, time }: KnownEvent<'FreezeCleared'>,
  holds: Holds,
): Promise<void> {
  const at = time.toISOString();
  for (const queue of await session.loadPending(partition)) {
    if (!session.state(partition, queue).pending?.frozen) continue;
    const { frozen } = heldBy(queue, holds, time.getTime());
    session.decide(partition, queue, { kind: 'review-freeze', at, frozen });
  }
}

/**
 * A clock that is suspended although nothing holds it has not received the event yet: Kafka keeps the order of one queue only.
 * It is switched on before it is changed, or a due time long past would count.
 */
function switchOnFirst(session: ClockSession, event: KnownEvent<'QuotaChanged'>): void {
  const { partition, queue } = event.data;
  if (!session.state(partition, queue).pending?.suspended) return;
  session.decide(partition, queue, { kind: 'turn-switch', at: event.time.toISOString(), on: true });
}

/** Amounts minus a part of them. */
const less = (amounts: Resources, part: Resources): Resources =>
  Object.fromEntries(
    Object.entries(amounts)
      .map(([type, amount]): [string, number] => [type, amount - (part[type] ?? 0)])
      .filter(([, amount]) => amount > 0),
  );
