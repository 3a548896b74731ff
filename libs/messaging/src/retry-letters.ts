import type { DataSource } from 'typeorm';
import { CurtailError } from '#contracts';
import { readEventsById, type StoredEvent, type Tx } from '#event-store';
import { BatchOvertaken, type BatchWork, handleBatch } from './batch.js';
import { type Consumer, takesLetters } from './consumer.js';
import {
  dropRetry,
  type LetterOrigin,
  type LetterRow,
  lettersToRetry,
  noteAttempts,
  type TakenLetter,
  takeLetter,
} from './dead-letter-table.js';
import { markHandled } from './inbox.js';
import { RedeliveryLease } from './redelivery-lease.js';
import { workFromLog } from './work-from-log.js';

export interface RetryLettersOptions {
  database: DataSource;
  onParked: (consumer: string, event: StoredEvent, reason: string) => void;
  onError: (consumer: string, error: Error) => void;
  /** The interval of checks for requested retries, default 2000 ms. */
  everyMs?: number;
}

const lettersAtOnce = 100;
/** A letter that waits longer than this for its next attempt lets others go first. */
const longestPauseMs = 1000;

class LetterPostponed extends CurtailError {
  readonly code = 'letter-postponed';
}

/**
 * Delivers dead letters to their consumers again: once for each request of an operator, and by itself after a pause that doubles up to the
 * usual interval of the reconciler (`dead_letters.retry_at`), so that an event of the log has its effects once the cause has passed. The
 * event is read from the log; the letter is removed in the transaction of the effects, so a crash leaves one or the other. An event that
 * fails again becomes a dead letter again, with the new reason and one more attempt; it is reported again only if an operator asked.
 *
 * Each process does it for its consumers, one process at a time for each: an event that crashes processes becomes a
 * dead letter again when too many have begun it, one after the other. If two take the same letter nevertheless, the
 * second finds it gone and changes nothing.
 *
 * A letter that waits for another event is tried once per check, and does not delay others.
 */
export class RetryLetters {
  /** By consumer: the counts of failed events are kept from one letter to the next. */
  private readonly works = new Map<string, BatchWork>();
  private readonly leases = new Map<string, RedeliveryLease>();
  private readonly stopping = new AbortController();
  private timer: NodeJS.Timeout | undefined;
  private checking: Promise<void> | undefined;

  constructor(private readonly options: RetryLettersOptions) {}

  /**
   * A consumer that needs the order of the log receives what it handles late (`handleLate`), or nothing.
   *
   * @param lease shared with the other parts of this process that deliver events from the log to this consumer.
   */
  add(consumer: Consumer, lease = new RedeliveryLease(this.options.database, consumer.name)): void {
    if (!takesLetters(consumer)) return;
    const { database, onParked } = this.options;
    const work = workFromLog({
      database,
      consumer: consumer.order === 'log' ? ofLate(consumer) : consumer,
      onParked: (event, reason) => onParked(consumer.name, event, reason),
      onError: (error) => this.report(consumer.name, error),
      signal: this.stopping.signal,
    });
    this.works.set(consumer.name, {
      ...work,
      wait: async (ms) => {
        if (ms >= longestPauseMs) throw new LetterPostponed();
        await work.wait(ms);
      },
    });
    this.leases.set(consumer.name, lease);
  }

  start(): void {
    if (this.works.size === 0) return;
    this.timer = setInterval(() => {
      this.checking ??= this.check().finally(() => {
        this.checking = undefined;
      });
    }, this.options.everyMs ?? 2000);
  }

  async stop(): Promise<void> {
    clearInterval(this.timer);
    this.stopping.abort();
    await this.checking;
    for (const lease of this.leases.values()) {
      // A lease that cannot be released expires soon.
      await lease.giveUp().catch(() => {});
    }
  }

  private async check(): Promise<void> {
    try {
      const letters = await lettersToRetry(this.options.database, [...this.works.keys()], lettersAtOnce);
      for (const letter of letters) {
        if (this.stopping.signal.aborted) return;
        await this.retry(letter, this.works.get(letter.consumer)!);
      }
    } catch (error) {
      this.report([...this.works.keys()].join(', '), error);
    }
  }

  private async retry(letter: LetterRow, work: BatchWork): Promise<void> {
    const { database } = this.options;
    const find = async (withData: string[]) =>
      (await readEventsById(database, [letter.event], new Set(withData))).get(letter.event);
    const found = await find([]);
    if (!found) return dropRetry(database, letter);
    const lease = this.leases.get(letter.consumer)!;
    if (!(await lease.take())) return;
    try {
      await lease.during(async () => {
        // Without its data it becomes a dead letter.
        const event = await work.attempts.unlessDeadly(found, async () => {
          return (await find([letter.event])) ?? 'gone';
        });
        if (event !== 'gone') await handleBatch(workOn(letter, work), [event ?? found]);
      });
    } catch (error) {
      // Another process has taken it, or it was discarded; or it is retried at the next check.
      if (!(error instanceof BatchOvertaken || error instanceof LetterPostponed))
        this.report(letter.consumer, error);
    }
  }

  private report(consumer: string, error: unknown): void {
    if (!this.stopping.signal.aborted) this.options.onError(consumer, error as Error);
  }
}

/** The same consumer, for letters: each is handled alone. */
function ofLate(consumer: Consumer): Consumer {
  const { name, topics } = consumer;
  return {
    name,
    topics,
    handle: ([event]) => consumer.handleLate!(event!),
    ...(consumer.givenUp && { givenUp: consumer.givenUp.bind(consumer) }),
  };
}

/** The work of the letter's consumer, on that letter. */
function workOn(letter: LetterRow, work: BatchWork): BatchWork {
  let parkedAt: Date | undefined;
  // The letter decides whether the event is still to be handled: the event has its mark since it became a dead letter.
  const claim: BatchWork['claim'] = async (tx, events) => {
    // Both are sent at once, since the effects follow. The mark is set again: that of the first attempt may be trimmed by now.
    const [taken] = await Promise.all([take(tx, letter), markHandled(tx, letter.consumer, events)]);
    ({ parkedAt } = taken);
    return events.length;
  };
  return {
    ...work,
    claim,
    triesOnce: !letter.isAsked,
    triesBefore: letter.attempts,
    passedOver: (events) =>
      work.db.transaction(async (tx) => {
        await claim(tx, events);
      }),
    parked: (tx) => noteAttempts(tx, letter, { attempts: letter.attempts + 1, parkedAt: parkedAt! }),
    onParked: (event, reason) => {
      if (letter.isAsked) work.onParked(event, reason);
    },
    originOf: (): LetterOrigin => letter.origin ?? undefined,
  };
}

/** @throws BatchOvertaken */
async function take(tx: Tx, letter: LetterRow): Promise<TakenLetter> {
  const taken = await takeLetter(tx, letter);
  if (taken) return taken;
  throw new BatchOvertaken(`another process took the dead letter ${letter.event} of ${letter.consumer}`);
}
