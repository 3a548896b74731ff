import { setTimeout as delay } from 'node:timers/promises';
import type { DataSource } from 'typeorm';
import { catalog, type EventName, topics as logTopics } from '#contracts/events';
import { awaited, type Cursor, type OutgoingPage, readOutgoing, type WakeListener } from '#event-store';
import { Wakeable } from '#waiting';
import { BusError } from '../event-bus.js';
import { endsWithin } from './ends-within.js';
import { answerOf } from './kafka-trouble.js';
import type { KafkaConnection } from './open-kafka.js';
import { logMessages } from './outgoing-message.js';
import { Publisher } from './publisher.js';
import { RelayLease, RelayLeaseLost } from './relay-lease.js';
import type { TopicKeeper } from './topic-keeper.js';
import { destinationOf } from './topics.js';

export interface OutboxRelayOptions {
  connection: KafkaConnection;
  database: DataSource;
  wake: WakeListener;
  topics: TopicKeeper;
  /** The maximum number of events read and published at once; default `relayPageSize`. */
  pageSize?: number;
  /** The interval of checks without a wake-up, by default a third of the lease. Only commits that a crash left unannounced wait for it. */
  pollMs?: number;
  /** The time without a renewal after which a leader loses the lead, default 4000 ms. */
  leaseMs?: number;
  /** The maximum wait of `unawaited` events for others that share their page, default 100 ms. */
  gatherMs?: number;
  /** The maximum wait of stop() for a page under way, default 5000 ms. */
  drainMs?: number;
  /** A failure, in words; it is retried. */
  onError?: (error: Error) => void;
  onLead?: (leads: boolean) => void;
  onPublished?: (events: number) => void;
}

export interface RelayStatus {
  /** Whether this process publishes. */
  leads: boolean;
  /** The client id of the process that does; undefined if none does, or the brokers have not answered yet. */
  leader: string | undefined;
  /** Events in the log that are not published yet, counted up to 100,000; undefined as above. */
  behind: number | undefined;
}

/** Events in a page of the log that is being published. */
export const relayPageSize = 1000;

/** Shorter than the time for which a dead process keeps its Kafka partitions. Each renewal and each check of the lease costs a statement. */
const usualLeaseMs = 4000;
const restMs = 250;
/** The pause while an older transaction holds back the log, which rarely takes more than a few milliseconds. */
const heldBackMs = { first: 2, longest: 50 };

/**
 * Publishes the log: it reads in the order of commits, sends pages, and notes the place after the brokers have
 * acknowledged them (`RelayLease`). So every event is published at least once, and within a key always in order.
 *
 * Every process has a relay; one of them leads. Its states: *standby* (checks whether the lead is free when the lease of the leader would be over),
 * *leading* (reads, publishes, waits for a wake-up), *resting* after a failure, with the lead released: another process
 * may have a better connection to the brokers.
 */
export class OutboxRelay {
  private readonly publisher: Publisher;
  private readonly leaseMs: number;
  private lease: RelayLease | undefined;
  private running: Promise<void> | undefined;
  private readonly stopping = new AbortController();
  private readonly waker = new Wakeable();
  private later: NodeJS.Timeout | undefined;

  constructor(private readonly options: OutboxRelayOptions) {
    this.publisher = new Publisher(options.connection, logMessages);
    this.leaseMs = options.leaseMs ?? usualLeaseMs;
  }

  /** Does not wait for Kafka, nor for the lead. */
  start(): void {
    if (this.running) return;
    this.running = this.run();
  }

  /**
   * Ends after the page that is being published; another relay may lead at once. It does not wait for unreachable
   * brokers.
   */
  async stop(): Promise<void> {
    const { drainMs = 5000, onError } = this.options;
    this.stopping.abort();
    if (await endsWithin(this.running, drainMs)) return;
    onError?.(
      new BusError(
        'relay-abandoned',
        `the relay did not end within ${drainMs} ms and was abandoned; its page will be published again`,
      ),
    );
  }

  async status(): Promise<RelayStatus> {
    if (!this.lease) return { leads: false, leader: undefined, behind: undefined };
    const { leader, behind } = await this.lease.check();
    return { leads: this.leads, leader, behind };
  }

  private get leads(): boolean {
    return this.lease?.place !== undefined;
  }

  private async run(): Promise<void> {
    while (!this.stopping.signal.aborted) {
      try {
        const others = await this.takeLead();
        if (others === 0) await this.lead(this.lease!);
        // No longer than a lease, whatever the clock of the database does meanwhile.
        else await this.sleep(Math.min(Math.max(others, restMs), this.leaseMs));
      } catch (error) {
        if (error instanceof RelayLeaseLost) continue;
        if (answerOf(error) === 'UNKNOWN_TOPIC_OR_PARTITION') this.options.topics.forget();
        this.options.onError?.(error as Error);
        await this.sleep(this.leaseMs / 4 + restMs);
      }
    }
    await this.publisher.close();
  }

  /**
   * A process that cannot reach the brokers does not take the lead from those that can.
   *
   * @returns 0 if this process leads now; otherwise how long another one does unless it prolongs its lease, in milliseconds.
   */
  private async takeLead(): Promise<number> {
    const { connection, database, topics } = this.options;
    this.lease ??= new RelayLease(database, {
      destination: await destinationOf(connection),
      name: connection.clientId,
      leaseMs: this.leaseMs,
    });
    const others = await this.lease.freeInMs();
    if (others > 0) return others;
    await topics.ready(Object.values(logTopics));
    await this.publisher.open();
    return (await this.lease.take()) ? 0 : this.leaseMs;
  }

  private async lead(lease: RelayLease): Promise<void> {
    this.options.onLead?.(true);
    // A relay on standby is not woken by every commit.
    const unsubscribe = this.options.wake.onWake((topics) => {
      if (topics.length === 0 || topics.includes(awaited)) this.waker.wake();
      else this.wakeLater();
    });
    try {
      await this.publishOn(lease);
      await lease.giveUp();
    } catch (error) {
      await lease.giveUp().catch(() => {});
      throw error;
    } finally {
      unsubscribe();
      clearTimeout(this.later);
      this.later = undefined;
      this.options.onLead?.(false);
    }
  }

  private async publishOn(lease: RelayLease): Promise<void> {
    const { pollMs = this.leaseMs / 3 } = this.options;
    let cursor = lease.place!;
    let ahead: Promise<OutgoingPage> | undefined;
    let heldBackFor = heldBackMs.first;
    let nextAt = 0;
    const pace = new RelayPace();
    while (!this.stopping.signal.aborted) {
      if (!ahead) await this.pauseUntil(nextAt);
      const began = performance.now();
      // The next page is read while the one before is being sent; it is not published before that is done.
      const page = await (ahead ?? this.read(cursor));
      ahead = undefined;
      const paced = pace.after(typesOf(page), began);
      nextAt = page.heldBack ? 0 : paced;
      if (page.next !== cursor) {
        if (!page.atEnd && !page.heldBack) {
          ahead = this.read(page.next);
          ahead.catch(() => {});
        }
        await lease.assertHeld();
        await this.publisher.publish(page.events);
        this.options.onPublished?.(page.events.length);
        lease.published(page.next);
        cursor = page.next;
        heldBackFor = heldBackMs.first;
        // Events committed since this page was read are announced: without an announcement, nothing follows it yet.
        if (!page.atEnd || page.heldBack || this.waker.isWoken) continue;
      }
      await lease.assertHeld();
      if (lease.isAging) await lease.prolong();
      await this.sleep(page.heldBack ? heldBackFor : Math.min(pollMs, this.leaseMs / 3));
      if (page.heldBack) heldBackFor = Math.min(2 * heldBackFor, heldBackMs.longest);
    }
  }

  /** It reads all commits that were announced before: their wake-ups are over. */
  private read(cursor: Cursor): Promise<OutgoingPage> {
    const { database, pageSize = relayPageSize } = this.options;
    this.waker.forget();
    clearTimeout(this.later);
    this.later = undefined;
    return readOutgoing(database, cursor, { limit: pageSize });
  }

  /** The requests of a run, their outcomes, its end and the release of its queue share the next page of any run. */
  private wakeLater(): void {
    this.later ??= setTimeout(() => this.waker.wake(), this.options.gatherMs ?? usualGatherMs);
  }

  private async pauseUntil(time: number): Promise<void> {
    const ms = time - performance.now();
    if (ms > 0) await delay(ms, undefined, { signal: this.stopping.signal }).catch(() => {});
  }

  private async sleep(ms: number): Promise<void> {
    await this.waker.sleep(ms, this.stopping.signal);
  }
}

const usualGatherMs = 100;

const typesByName = (...names: EventName[]): ReadonlySet<string> =>
  new Set(names.map((name) => catalog[name].type));

const typesOf = ({ events }: OutgoingPage): string[] => events.map(({ type }) => type);

/**
 * After a page that was not full, the next one begins this much later at the earliest: under load several commits share a page, and the
 * fetches of all consumers. Events that an older transaction held back do not wait for it.
 */
const pageEveryMs = { first: 20, longest: 100 };
const growth = 1.5;

/** Events of configurations and of clocks that begin to wait: no run depends on when they are published. */
const unhurried = typesByName(
  'ConfigApplied',
  'ConfigRefused',
  'QuotaChanged',
  'QueueRemoved',
  'EnforcementScheduled',
  'EnforcementRescheduled',
);

/**
 * The interval of the relay's pages. It grows while pages follow each other that nothing hurries for, such as those of many
 * configurations; any other event, or a pause, makes it short again.
 */
export class RelayPace {
  private everyMs = pageEveryMs.first;
  private lastAt = Number.NEGATIVE_INFINITY;

  /**
   * @param began when the page was read, by `performance.now()`.
   * @returns when the next page may begin.
   */
  after(types: readonly string[], began: number): number {
    if (types.length === 0) return began + this.everyMs;
    const follows = began - this.lastAt <= 2 * this.everyMs;
    const isUnhurried = types.every((type) => unhurried.has(type));
    this.everyMs =
      follows && isUnhurried ? Math.min(this.everyMs * growth, pageEveryMs.longest) : pageEveryMs.first;
    this.lastAt = began;
    return began + this.everyMs;
  }
}
