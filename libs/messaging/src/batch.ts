import { setTimeout as delay } from 'node:timers/promises';
import { known, type StoredEvent, type Tx, UnreadableEvent } from '@curtail/event-store';
import type { DataSource } from 'typeorm';
import type { Consumer } from './consumer.js';
import { markHandled } from './inbox.js';
import { park } from './parking.js';
import { isDatabaseAway, worthAnotherTry } from './transient.js';

/** What handling a batch needs to know of the bus that brought it. */
export interface BatchWork {
  db: DataSource;
  consumer: Consumer;
  /** Runs in each transaction that handles events, told how far it comes. Throws Overtaken if that is not ours to do. */
  moveOn(tx: Tx, last: StoredEvent): Promise<void>;
  /** The same, once it has committed. */
  movedOn(last: StoredEvent): void;
  /** There was nothing to do for the events up to this one: the place may be kept in mind, and stored with the next. */
  passedOver(last: StoredEvent): void;
  onParked(event: StoredEvent, reason: string): void;
  onError(error: Error): void;
  /** Ends the waiting between tries. */
  stop: AbortSignal;
}

/** Somebody else handles these events. */
export class Overtaken extends Error {
  override readonly name = 'Overtaken';
}

const triesOfOne = 6;
const firstBackOffMs = 20;
const longestBackOffMs = 1000;

/**
 * Handles a batch of one consumer in one transaction. If that fails, each half is handled for itself, and so on, until the
 * event that cannot be handled stands alone: it is tried a few times, then put aside with its reason. So the others go on,
 * in their order, in a few transactions more.
 *
 * At any moment, what is before the last committed transaction is handled or parked, and nothing behind it: a crash has the
 * rest come again.
 *
 * @throws if the database is away, or somebody else handles these events: nothing is lost, they come again.
 */
export async function handleBatch(work: BatchWork, events: StoredEvent[]): Promise<void> {
  if (events.length === 0) return;
  if (events.length === 1) return handleAlone(work, events[0]!);
  try {
    await handleTogether(work, events);
  } catch (error) {
    if (await isNobodysFault(work, error)) throw error;
    const middle = events.length >> 1;
    await handleBatch(work, events.slice(0, middle));
    await handleBatch(work, events.slice(middle));
  }
}

async function handleAlone(work: BatchWork, event: StoredEvent): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await handleTogether(work, [event]);
    } catch (error) {
      if (await isNobodysFault(work, error)) throw error;
      const tries =
        error instanceof UnreadableEvent ? 1 : worthAnotherTry(error) ? 2 * triesOfOne : triesOfOne;
      if (attempt >= tries) return putAside(work, event, reasonOf(error));
      await delay(Math.min(firstBackOffMs * 2 ** (attempt - 1), longestBackOffMs), undefined, {
        signal: work.stop,
      });
    }
  }
}

async function handleTogether(work: BatchWork, events: StoredEvent[]): Promise<void> {
  const { consumer } = work;
  const last = events.at(-1)!;
  const effects = await consumer.handle(events.map(known));
  if (!effects) {
    // Not marked either: there is nothing that could be done twice.
    work.passedOver(last);
    return;
  }
  const afterCommit = await work.db.transaction(async (tx) => {
    const ids = events.map((event) => event.id);
    const fresh = await markHandled(tx, consumer.name, ids);
    // A part of the batch was handled before (delivered twice): its effects must not be written again, so the batch falls
    // apart.
    if (fresh.size !== ids.length && fresh.size > 0) throw new PartlyHandled();
    const after = fresh.size > 0 ? await effects(tx) : undefined;
    await work.moveOn(tx, last);
    return after;
  });
  work.movedOn(last);
  try {
    afterCommit?.();
  } catch (error) {
    // The events are handled; what was only a hint must not have them handled again.
    work.onError(error as Error);
  }
}

async function putAside(work: BatchWork, event: StoredEvent, reason: string): Promise<void> {
  const isParked = await work.db.transaction(async (tx) => {
    const fresh = await markHandled(tx, work.consumer.name, [event.id]);
    if (fresh.size > 0) await park(tx, work.consumer.name, event, reason);
    await work.moveOn(tx, event);
    return fresh.size > 0;
  });
  work.movedOn(event);
  if (isParked) work.onParked(event, reason);
}

async function isNobodysFault(work: BatchWork, error: unknown): Promise<boolean> {
  return error instanceof Overtaken || (await isDatabaseAway(work.db, error));
}

function reasonOf(error: unknown): string {
  return (error instanceof Error && error.message) || String(error);
}

class PartlyHandled extends Error {
  override readonly name = 'PartlyHandled';
}
