import { setTimeout as delay } from 'node:timers/promises';
import type { DataSource } from 'typeorm';
import { BrokenInvariant } from '#contracts';
import {
  beginning,
  type Cursor,
  NewerEvent,
  type StoredEvent,
  type Tx,
  type WakeListener,
} from '#event-store';
import { Wakeable } from '#waiting';
import { Attempts } from './attempts.js';
import { BatchOvertaken, type BatchWork, handleBatch } from './batch.js';
import { type Consumer, unwantedTypes } from './consumer.js';
import { loadCursor, moveCursor, statusOfPlaces } from './cursor-table.js';
import type { ConsumerStatus, EventBus, StoppedConsumer, WaitingConsumer } from './event-bus.js';
import { markAndMove } from './inbox.js';
import { Patience } from './patience.js';
import { RetryLetters } from './retry-letters.js';
import { SharedPages } from './shared-pages.js';
import { Waits } from './waits.js';

export interface InProcessBusOptions {
  database: DataSource;
  wake: WakeListener;
  /** The interval of reads without a wake-up, default 2000 ms. Only commits that a crash left unannounced wait for it. */
  pollMs?: number;
  onParked?: (consumer: string, eventId: string, reason: string) => void;
  onError?: (consumer: string, error: Error) => void;
  /** A consumer begins to wait for a process that knows a newer event. */
  onWait?: (waiting: WaitingConsumer) => void;
}

/**
 * The bus of one process: consumers read directly from the log. The log is the outbox, the cursor of a consumer is its
 * offset, and the cursor moves in the transaction of the effects.
 *
 * Two processes with the same consumer are safe, though not faster: if another process has moved the cursor, the
 * transaction fails, and the loop continues from the new place.
 */
export class InProcessBus implements EventBus {
  private readonly loops: ConsumerLoop[] = [];
  private readonly pages: SharedPages;
  private readonly letters: RetryLetters;

  constructor(private readonly options: InProcessBusOptions) {
    this.pages = new SharedPages(options.database, options.wake);
    this.letters = new RetryLetters({
      database: options.database,
      onParked: (consumer, event, reason) => options.onParked?.(consumer, event.id, reason),
      onError: (consumer, error) => options.onError?.(consumer, error),
    });
  }

  subscribe(consumer: Consumer): void {
    if (this.loops.some((loop) => loop.consumer.name === consumer.name)) {
      throw new BrokenInvariant(`two consumers are named ${consumer.name}`);
    }
    this.pages.include(consumer.topics);
    this.loops.push(new ConsumerLoop(consumer, this.pages, this.options));
    this.letters.add(consumer);
  }

  consumers(): Consumer[] {
    return this.loops.map(({ consumer }) => consumer);
  }

  async start(): Promise<void> {
    for (const loop of this.loops) loop.start();
    this.letters.start();
  }

  async stop(): Promise<void> {
    await Promise.all([this.letters.stop(), ...this.loops.map((loop) => loop.stop())]);
  }

  waiting(): WaitingConsumer[] {
    return this.loops.flatMap(({ waits }) => waits.all());
  }

  /** What keeps it from reading is the database, whose check says so. */
  stopped(): StoppedConsumer[] {
    return [];
  }

  async status(): Promise<ConsumerStatus[]> {
    if (this.loops.length === 0) return [];
    // Events that this process has read and skipped count as handled before that is stored.
    const places = this.loops.map(({ consumer, read }) => ({ consumer, read }));
    return statusOfPlaces(this.options.database, places);
  }
}

/** The place at which a consumer waits: it reads nothing else. */
const theLog = 'the log';

/** The progress of a consumer: `stored` in the database, `read` in this process, `passed` pages in between. */
interface Place {
  stored: Cursor;
  read: Cursor;
  passed: number;
  /** When it last equalled `stored`, by the clock of `performance`. */
  storedAt: number;
}

/** The maximum number of skipped pages that are read again after a crash. */
const pagesPassedUnstored = 50;
/** Skipped places are stored after this long without work. */
const passedUnstoredMs = 60_000;
/** Events handled in one transaction by a consumer without a limit of its own. */
const usualBatch = 200;
const pauseAfterErrorMs = 250;
/** The interval at which it checks whether another process has handled an event that this one does not know. */
const waitMs = 1000;
/** The pause while an older transaction holds back the log, which rarely takes more than a few milliseconds. */
const heldBackMs = { first: 5, longest: 50 };

/**
 * Its states: *reading* a page, *handling* its batches, *waiting* for a wake-up or the next check, *pausing* after an
 * error, or while it waits for a process that knows a newer event. Batches commit the cursor with their effects, so
 * after a crash it continues after the last commit.
 */
class ConsumerLoop {
  private running: Promise<void> | undefined;
  private readonly stopping = new AbortController();
  private readonly waker = new Wakeable();
  private readonly unwanted: ReadonlySet<string>;
  private readonly attempts: Attempts;
  readonly waits: Waits;
  private place: Place | undefined;
  private readonly patience: Patience;

  constructor(
    readonly consumer: Consumer,
    private readonly pages: SharedPages,
    private readonly options: InProcessBusOptions,
  ) {
    this.unwanted = unwantedTypes(consumer);
    this.patience = new Patience(consumer);
    this.attempts = new Attempts(options.database, consumer.name);
    this.waits = new Waits(consumer.name, options.onWait);
  }

  /** The progress of this process. */
  get read(): Cursor {
    return this.place?.read ?? beginning;
  }

  start(): void {
    const unsubscribe = this.options.wake.onWake((topics) => {
      if (topics.length === 0 || topics.some((topic) => this.isWanted(topic))) this.waker.wake();
    });
    this.attempts.beCareful();
    this.running = this.run().finally(unsubscribe);
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    await this.running;
  }

  private isWanted(topic: string): boolean {
    return (this.consumer.topics as readonly string[]).includes(topic);
  }

  private readonly wants = ({ topic, type }: StoredEvent): boolean =>
    this.isWanted(topic) && !this.unwanted.has(type);

  private async run(): Promise<void> {
    let heldBackFor = heldBackMs.first;
    // Commits during the sleep may not have been announced.
    let trustedMs = 0;
    while (!this.stopping.signal.aborted) {
      try {
        await this.waitForMore();
        this.waker.forget();
        this.place ??= placeAt(await loadCursor(this.options.database, this.consumer.name));
        const { advanced, heldBack } = await this.step(this.place, trustedMs);
        this.waits.over(theLog);
        heldBackFor = heldBack ? Math.min(heldBackFor * 2, heldBackMs.longest) : heldBackMs.first;
        const { pollMs = 2000 } = this.options;
        const isWoken = advanced || (await this.sleep(heldBack ? heldBackFor : pollMs));
        trustedMs = isWoken ? Number.POSITIVE_INFINITY : heldBack ? 0 : pollMs / 2;
      } catch (error) {
        this.place = undefined;
        if (this.stopping.signal.aborted && (error as Error).name === 'AbortError') return;
        if (error instanceof BatchOvertaken) continue;
        if (error instanceof NewerEvent) {
          this.waits.begin(theLog, error);
          await delay(waitMs, undefined, { signal: this.stopping.signal }).catch(() => {});
          trustedMs = 0;
          continue;
        }
        this.options.onError?.(this.consumer.name, error as Error);
        await this.sleep(pauseAfterErrorMs);
        trustedMs = 0;
      }
    }
  }

  private async step(place: Place, trustedMs: number): Promise<{ advanced: boolean; heldBack: boolean }> {
    const { events: all, next, heldBack } = await this.pages.read(place.read, trustedMs);
    const events = all.filter(this.wants);
    const { batchSize = usualBatch } = this.consumer;
    if (events.length > 0) this.patience.noteBatch(events.length >= batchSize);
    if (next === place.read) {
      if (!heldBack) this.attempts.endCare();
      // The log may be archived up to the stored place.
      if (place.passed > 0 && performance.now() - place.storedAt > passedUnstoredMs) await this.store(place);
      return { advanced: false, heldBack };
    }
    if (events.length > 0) {
      const work = this.work(place, (event) => (event === events.at(-1) ? next : event));
      for (let from = 0; from < events.length && !this.stopping.signal.aborted; from += batchSize) {
        await handleBatch(work, events.slice(from, from + batchSize));
      }
    } else {
      // Events of other topics alone cause no write: the stored cursor follows with the next batch.
      passOver(place, next);
    }
    if (place.passed >= pagesPassedUnstored) await this.store(place);
    return { advanced: true, heldBack: false };
  }

  private async store(place: Place): Promise<void> {
    await this.options.database.transaction((tx) => this.moveCursor(tx, place.stored, place.read));
    Object.assign(place, placeAt(place.read));
  }

  private work(place: Place, cursorBehind: (event: StoredEvent) => Cursor): BatchWork {
    const { database: db, onParked, onError } = this.options;
    const { consumer } = this;
    return {
      db,
      consumer,
      claim: (tx, events) => this.claim(tx, events, place.stored, cursorBehind(events.at(-1)!)),
      movedOn: (last) => Object.assign(place, placeAt(cursorBehind(last))),
      passedOver: async (events) => passOver(place, cursorBehind(events.at(-1)!)),
      onParked: (event, reason) => onParked?.(consumer.name, event.id, reason),
      onError: (error) => onError?.(consumer.name, error),
      attempts: this.attempts,
      wait: (ms) => delay(ms, undefined, { signal: this.stopping.signal }),
    };
  }

  /**
   * The row of the cursor is locked up to the end of the transaction: another process waits for it, and then finds it
   * moved. Where events arrive only from the log the cursor shows which are handled; those that Kafka may deliver too
   * are marked one by one.
   */
  private async claim(tx: Tx, events: readonly StoredEvent[], from: Cursor, to: Cursor): Promise<number> {
    const { name, order } = this.consumer;
    if (order === 'log') {
      await this.moveCursor(tx, from, to);
      return events.length;
    }
    const fresh = await markAndMove(tx, name, events, { from, to });
    if (fresh === undefined) throw this.overtaken();
    return fresh;
  }

  private async moveCursor(tx: Tx, from: Cursor, to: Cursor): Promise<void> {
    if (!(await moveCursor(tx, this.consumer.name, from, to))) throw this.overtaken();
  }

  private overtaken(): BatchOvertaken {
    return new BatchOvertaken(`another process moved the cursor of ${this.consumer.name}`);
  }

  private async waitForMore(): Promise<void> {
    const ms = this.patience.waitMs;
    if (ms > 0) await delay(ms, undefined, { signal: this.stopping.signal });
  }

  /** @returns whether a wake-up has ended it. */
  private sleep(ms: number): Promise<boolean> {
    return this.waker.sleep(ms, this.stopping.signal);
  }
}

function passOver(place: Place, to: Cursor): void {
  place.read = { transactionId: to.transactionId, position: to.position };
  place.passed++;
}

function placeAt({ transactionId, position }: Cursor): Place {
  const cursor = { transactionId, position };
  return { stored: cursor, read: cursor, passed: 0, storedAt: performance.now() };
}
