import { type KnownEvent, known, type StoredEvent, type Tx, UnreadableEvent } from '@curtail/event-store';
import type { DataSource } from 'typeorm';
import type { Consumer } from './consumer.js';
import { markHandled } from './inbox.js';
import { park } from './parking.js';
import { databaseAway, worthAnotherTry } from './transient.js';

/** What is done in the same transaction besides the effects, such as moving the cursor on. */
export type AlsoCommit = (tx: Tx) => Promise<void>;

export interface BatchOutcome {
  handled: number;
  parked: { event: StoredEvent; reason: string }[];
}

const triesOfOne = 6;
const firstBackOffMs = 20;

/**
 * Handles a batch of one consumer in one transaction. If that fails, its events are handled one by one, so that the one that
 * cannot be handled is found, put aside with its reason, and the others go on.
 *
 * @param alsoCommit runs in each transaction that handles events; told how far the batch has come.
 * @throws if the database is away: nothing is lost, the batch comes again.
 */
export async function handleBatch(
  db: DataSource,
  consumer: Consumer,
  events: StoredEvent[],
  alsoCommit: (last: StoredEvent) => AlsoCommit,
): Promise<BatchOutcome> {
  const outcome: BatchOutcome = { handled: 0, parked: [] };
  if (events.length === 0) return outcome;
  if (events.length > 1) {
    try {
      await handleOnce(db, consumer, events.map(known), alsoCommit(events.at(-1)!));
      outcome.handled = events.length;
      return outcome;
    } catch (error) {
      if (databaseAway(error)) throw error;
    }
  }
  for (const event of events) {
    const reason = await handleOne(db, consumer, event, alsoCommit(event));
    if (reason === undefined) {
      outcome.handled++;
    } else {
      await db.transaction(async (tx) => {
        await park(tx, consumer.name, event, reason);
        await alsoCommit(event)(tx);
      });
      outcome.parked.push({ event, reason });
    }
  }
  return outcome;
}

/** @returns undefined, or the reason why it cannot be handled. */
async function handleOne(
  db: DataSource,
  consumer: Consumer,
  event: StoredEvent,
  alsoCommit: AlsoCommit,
): Promise<string | undefined> {
  for (let attempt = 1; ; attempt++) {
    try {
      await handleOnce(db, consumer, [known(event)], alsoCommit);
      return undefined;
    } catch (error) {
      if (databaseAway(error)) throw error;
      const hopeless = error instanceof UnreadableEvent;
      if (hopeless || attempt >= (worthAnotherTry(error) ? triesOfOne * 2 : triesOfOne)) {
        return (error as Error).message;
      }
      await new Promise((resolve) =>
        setTimeout(resolve, Math.min(firstBackOffMs * 2 ** (attempt - 1), 1000)),
      );
    }
  }
}

async function handleOnce(
  db: DataSource,
  consumer: Consumer,
  events: KnownEvent[],
  alsoCommit: AlsoCommit,
): Promise<void> {
  const effects = await consumer.handle(events);
  const afterCommit = await db.transaction(async (tx) => {
    const ids = events.map((event) => event.id);
    const fresh = await markHandled(tx, consumer.name, ids);
    // A part of the batch was handled before (delivered twice): its effects must not be written again, so the batch falls
    // apart into single events.
    if (fresh.size !== ids.length && fresh.size > 0) throw new PartlyHandled();
    const after = fresh.size > 0 ? await effects?.(tx) : undefined;
    await alsoCommit(tx);
    return after;
  });
  afterCommit?.();
}

class PartlyHandled extends Error {
  override readonly name = 'PartlyHandled';
}
