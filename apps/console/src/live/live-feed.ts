import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import { DataSource } from 'typeorm';
import { eventName } from '#contracts/events';
import {
  type Cursor,
  type EventPage,
  endOfLog,
  isBefore,
  readWithoutData,
  runOfStream,
  type StoredEvent,
  WakeListener,
} from '#event-store';
import { LOG } from '#platform';
import { READER_DATABASE } from '#runtime';
import { LateTables } from './late-tables.js';

/** What a page gets at once: the events of its partition since the last batch, and where to go on. */
export interface LiveBatch {
  next: Cursor;
  events: readonly LiveEvent[];
  /** More events than are sent lie between; read everything again. */
  isGap?: boolean;
  /** The tables behind the answers have followed earlier events only now; read everything again. */
  isLate?: boolean;
}

/** Events read with one statement. */
const pageSize = 1000;
/** The most events that a page gets after a break. Beyond, reading everything again costs less. */
const mostMissed = 2000;
/**
 * After a batch, events of this time share the next one: a run of thousands of evictions must not send thousands of messages to every
 * page. The first after a quiet time is sent at once.
 */
const batchMs = 150;
/**
 * After a batch, each open page reads again what it shows. While events keep coming, this limits the readings of all pages together: with more
 * pages, each gets fewer and larger batches. The first batches after a quiet time do not count.
 */
const readings = { perSecond: 50, quietBatches: 4 };
/** The feed reads the log this often without an announcement: a process that crashes after a commit may not have announced it. */
const checkEveryMs = 5000;
/** Pause after a failed read, and while an older transaction holds events back. */
const pauseMs = { failed: 1000, heldBack: 25 };

/** Events of one partition, as stored and as pages get them: made once for all pages. */
interface Shared {
  stored: StoredEvent[];
  events: LiveEvent[];
}
interface Listener {
  pass(of: ReadonlyMap<string, Shared>, next: Cursor): void;
  tablesFollowed(next: Cursor): void;
}

/**
 * Passes the log on to open pages as it is written. All pages share one reader, which reads only while a page is open: after each
 * commit and every few seconds, without the data of events.
 */
@Injectable()
export class LiveFeed {
  private readonly listeners = new Set<Listener>();
  /** Up to here the listeners have everything. */
  private end: Cursor | undefined;
  /** Batches that may follow each other by `batchMs`, as of `passedAt`. */
  private quietBatches = readings.quietBatches;
  private passedAt = Number.NEGATIVE_INFINITY;
  private toldAt = Number.NEGATIVE_INFINITY;
  private beginning: Promise<void> | undefined;
  private endListening: (() => void) | undefined;
  private checks: NodeJS.Timeout | undefined;
  private timer: NodeJS.Timeout | undefined;
  /** Runs while the next events are collected. */
  private collecting: NodeJS.Timeout | undefined;
  private isAwake = false;
  private isReading = false;
  private readonly tables: LateTables;
  private followedLate = 0;

  constructor(
    @Inject(READER_DATABASE) private readonly database: DataSource,
    private readonly wake: WakeListener,
    @Inject(LOG) private readonly log: Logger,
  ) {
    this.tables = new LateTables(database, () => this.tablesFollowed());
  }

  /**
   * Events of a partition after a cursor; without one, from now on. The first batch comes at once, and states where the log ends.
   *
   * @returns a function that ends it.
   */
  async follow(
    partition: string,
    from: Cursor | undefined,
    send: (batch: LiveBatch) => void,
  ): Promise<() => void> {
    // A page that was served by another process may have more than this one has read.
    const isNew = (event: StoredEvent) => from === undefined || isBefore(from, event);
    const early: LiveBatch[] = [];
    let isReady = false;
    const sendInOrder = (batch: LiveBatch) => {
      if (isReady) send(batch);
      else early.push(batch);
    };
    const listener: Listener = {
      pass: (of, next) => {
        const shared = of.get(partition);
        if (!shared) return;
        const events = shared.stored.every(isNew)
          ? shared.events
          : shared.stored.filter(isNew).map(liveEventOf);
        if (events.length > 0) sendInOrder({ next, events });
      },
      tablesFollowed: (next) => sendInOrder({ next, events: [], isLate: true }),
    };
    while (this.end === undefined) await this.begin();
    const until = this.end;
    this.listeners.add(listener);
    try {
      send(await this.missed(partition, from ?? until, until));
    } catch (error) {
      this.leave(listener);
      throw error;
    }
    isReady = true;
    for (const batch of early) send(batch);
    return () => this.leave(listener);
  }

  /** Any later read of the database includes all events up to here; undefined while no page is open. */
  get readUpTo(): Cursor | undefined {
    return this.end;
  }

  /** The time since events were last sent to pages; 0 while the tables behind the answers are late. */
  get quietMs(): number {
    return this.tables.areLate ? 0 : performance.now() - this.toldAt;
  }

  /** How often the tables have followed late: an answer from before that may be older than what pages have seen. */
  get timesLate(): number {
    return this.followedLate;
  }

  /** The events between two cursors, as one batch. */
  private async missed(partition: string, from: Cursor, until: Cursor): Promise<LiveBatch> {
    const events: LiveEvent[] = [];
    for (let cursor = from; isBefore(cursor, until); ) {
      const page = await this.read(cursor);
      const missed = page.events.filter((event) => event.partition === partition && !isBefore(until, event));
      if (events.length + missed.length > mostMissed) return { next: until, events: [], isGap: true };
      events.push(...missed.map(liveEventOf));
      // Archived meanwhile.
      if (page.next === cursor) break;
      cursor = page.next;
    }
    return { next: isBefore(from, until) ? until : from, events };
  }

  private async begin(): Promise<void> {
    this.beginning ??= endOfLog(this.database)
      .then((end) => {
        this.end = end;
        this.tables.expect(end);
        this.endListening = this.wake.onWake(() => this.awake());
        this.checks = setInterval(() => this.awake(), checkEveryMs);
        // What was committed in between woke nobody.
        this.readSoon(0);
      })
      .finally(() => {
        this.beginning = undefined;
      });
    await this.beginning;
  }

  private leave(listener: Listener): void {
    this.listeners.delete(listener);
    if (this.listeners.size > 0) return;
    this.tables.stop();
    this.endListening?.();
    this.endListening = undefined;
    clearInterval(this.checks);
    clearTimeout(this.timer);
    clearTimeout(this.collecting);
    this.timer = undefined;
    this.collecting = undefined;
    this.isAwake = false;
    this.end = undefined;
  }

  private awake(): void {
    if (this.collecting) this.isAwake = true;
    else this.readSoon(0);
  }

  private collect(): void {
    this.collecting ??= setTimeout(() => {
      this.collecting = undefined;
      if (!this.isAwake) return;
      this.isAwake = false;
      this.readSoon(0);
    }, this.pauseAfterBatch());
  }

  private pauseAfterBatch(): number {
    const evenMs = Math.max(batchMs, (1000 * this.listeners.size) / readings.perSecond);
    const now = performance.now();
    const refilled = this.quietBatches + (now - this.passedAt) / evenMs;
    this.quietBatches = Math.max(0, Math.min(readings.quietBatches, refilled) - 1);
    this.passedAt = now;
    return this.quietBatches > 0 ? batchMs : evenMs;
  }

  private readSoon(ms: number): void {
    this.timer ??= setTimeout(() => {
      this.timer = undefined;
      void this.readOn();
    }, ms);
  }

  private async readOn(): Promise<void> {
    const from = this.end;
    if (from === undefined) return;
    if (this.isReading) return this.readSoon(batchMs);
    this.isReading = true;
    try {
      const page = await this.read(from);
      // The last page was closed meanwhile.
      if (this.end !== from) return;
      this.end = page.next;
      if (page.events.length > 0) this.collect();
      this.pass(page);
      if (page.heldBack) this.readSoon(pauseMs.heldBack);
      else if (!page.atEnd) this.readSoon(0);
    } catch (err) {
      this.log.warn({ err }, 'Could not read the log for open pages; retrying.');
      if (this.end !== undefined) this.readSoon(pauseMs.failed);
    } finally {
      this.isReading = false;
    }
  }

  private pass({ events, next }: EventPage): void {
    const of = new Map<string, Shared>();
    for (const event of events) {
      const own = of.get(event.partition) ?? { stored: [], events: [] };
      own.stored.push(event);
      own.events.push(liveEventOf(event));
      of.set(event.partition, own);
    }
    if (of.size === 0) return;
    this.toldAt = performance.now();
    this.tables.expect(events.at(-1)!);
    for (const listener of this.listeners) listener.pass(of, next);
  }

  private tablesFollowed(): void {
    const { end } = this;
    if (end === undefined) return;
    this.followedLate++;
    for (const listener of this.listeners) listener.tablesFollowed(end);
  }

  private read(from: Cursor): Promise<EventPage> {
    return readWithoutData(this.database, from, pageSize);
  }
}

/** An event of the log as pages get it: what happened to which queue and run, without the data. */
interface LiveEvent {
  position: string;
  time: string;
  /** The name of the catalog. */
  name: string;
  stream: string;
  version: number;
  queue: string;
  /** The run whose stream has the event. */
  enforcement?: string;
}

function liveEventOf({ position, time, type, stream, version, key }: StoredEvent): LiveEvent {
  const enforcement = runOfStream(stream);
  return {
    position,
    time: time.toISOString(),
    name: eventName(type) ?? type,
    stream,
    version,
    queue: key,
    ...(enforcement !== undefined && { enforcement }),
  };
}
