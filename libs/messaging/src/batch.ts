import type { DataSource } from 'typeorm';
import { CurtailError, InputError, pauseAfter } from '#contracts';
import { topics } from '#contracts/events';
import {
  type EventTrace,
  type KnownEvent,
  known,
  NewerEvent,
  type StoredEvent,
  type Tx,
  traceOfEvent,
  traceOn,
  UnreadableEvent,
} from '#event-store';
import { ranOutOfTime } from '#platform';
import { type Attempts, processesOfOne } from './attempts.js';
import { type AfterCommit, type Consumer, type Effects, HandleApart, takesLetters } from './consumer.js';
import { type LetterOrigin, park } from './dead-letter-table.js';
import { EventNotInLog, isHandled } from './inbox.js';
import { isDatabaseAway, worthAnotherTry } from './transient.js';

/** The parts of the bus that handling a batch needs. */
export interface BatchWork {
  db: DataSource;
  consumer: Consumer;
  /**
   * Begins each transaction that handles events: marks them as handled, and moves the place of the consumer behind them. Up to the end of
   * the transaction, no other process handles the events. Throws BatchOvertaken if another process has taken them.
   *
   * @returns the number of events that were not handled before.
   */
  claim(tx: Tx, events: readonly StoredEvent[]): Promise<number>;
  /**
   * The ids of those events that were handled before; omit it where the place of the consumer never falls behind its marks. A process that is
   * careful asks before it handles a batch: an event that became a dead letter because it crashed processes must not crash another one when
   * it is redelivered, and its count may be that of its retry by then.
   */
  handled?(events: readonly StoredEvent[]): Promise<ReadonlySet<string>>;
  /** The place has moved: the transaction has committed. */
  movedOn(last: StoredEvent): void;
  /** These events had no effects, and repeating them would have none: their place may be stored with the next. */
  passedOver(events: StoredEvent[]): Promise<void>;
  onParked(event: StoredEvent, reason: string): void;
  onError(error: Error): void;
  /** The counts of failed events; one object for all batches of the consumer. */
  attempts: Attempts;
  /** Waits before the next attempt. May throw instead, as long as the events are redelivered. */
  wait(ms: number): Promise<void>;
  /** The number of attempts for an event that is only waiting for another one, default 12. */
  triesOfWaiting?: number;
  /** Each event is tried once: it is tried again soon anyway. */
  triesOnce?: boolean;
  /** Reads an event, default: against the catalog. Throws UnreadableEvent. */
  read?(event: StoredEvent): KnownEvent;
  /** Called before an event becomes a dead letter, again if this throws: notifies others of it. */
  parking?(event: StoredEvent, why: Parked): Promise<void>;
  /** How often the event became a dead letter before, absent: never. */
  triesBefore?: number;
  /** In the transaction that makes an event a dead letter. */
  parked?(tx: Tx): Promise<void>;
  /** The place of the event in transit, if that is not the log. */
  originOf?(event: StoredEvent): LetterOrigin;
}

/** The reason why an event became a dead letter. */
export interface Parked {
  reason: string;
  /** The error in the event, if the event is the cause. */
  field?: string;
  /** Processes ended with it: only an operator has it tried again. */
  isDeadly?: true;
}

/** Another process handles these events. */
export class BatchOvertaken extends CurtailError {
  readonly code = 'batch-overtaken';
}

const triesOfOne = 6;
/**
 * The attempts of an event that waits for another one: longer than the wait for a run without an executor (a lease and
 * a half, by default).
 */
export const triesOfLongWait = 150;
/** Each takes up to the time limit of a statement or a lock in the database; the attempts are limited all the same. */
const triesOutOfTime = 30;
/** The pause of a dead letter before it is handled again without a request doubles up to the usual interval of the reconciler. */
const retryMs = { first: 5000, longest: 60_000 };
const backOffMs = { first: 20, longest: 1000 };

/**
 * Handles a batch of one consumer in one transaction, or in several where its handler says so (`HandleApart`). If that fails, each half is handled separately, and so on, until
 * the failing event is alone: it is tried a few times, then becomes a dead letter with its reason. So the others
 * proceed, in their order, with a few more transactions.
 *
 * At any moment, everything before the last committed transaction is handled or a dead letter, and nothing after it:
 * after a crash the rest is redelivered. Events that have crashed a process are handled alone, and become dead letters
 * when they have crashed too many.
 *
 * @throws if the database is away, or another process handles these events: nothing is lost, they are redelivered.
 * @throws NewerEvent if a newer release has written the next event, or one that it needs: the same.
 */
export async function handleBatch(work: BatchWork, events: StoredEvent[]): Promise<void> {
  if (events.length === 0) return;
  const { attempts } = work;
  try {
    const handled = await handledBefore(work, events);
    const begunBefore = await attempts.begin(events.filter(({ id }) => !handled.has(id)));
    for (const { kind, some } of apart(events, handled, begunBefore)) {
      if (kind === 'new') await handleInHalves(work, some);
      else if (kind === 'handled') await moveBehind(work, some);
      else await handleSuspect(work, some[0]!, begunBefore.get(some[0]!.id)!);
    }
  } catch (error) {
    // If that cannot be recorded, the database is away, and this process is counted at most once with each of them.
    await attempts.survived(events).catch(() => {});
    throw error;
  }
}

async function handledBefore(
  { attempts, handled }: BatchWork,
  events: StoredEvent[],
): Promise<ReadonlySet<string>> {
  return handled && attempts.isCareful() ? handled(events) : new Set();
}

type Kind = 'new' | 'handled' | 'suspect';

/** Splits events into runs of one kind, in their order. Each event that other processes have begun is alone. */
function apart(
  events: StoredEvent[],
  handled: ReadonlySet<string>,
  begunBefore: ReadonlyMap<string, number>,
): { kind: Kind; some: StoredEvent[] }[] {
  if (handled.size + begunBefore.size === 0) return [{ kind: 'new', some: events }];
  const runs: { kind: Kind; some: StoredEvent[] }[] = [];
  for (const event of events) {
    const kind = handled.has(event.id) ? 'handled' : begunBefore.has(event.id) ? 'suspect' : 'new';
    const last = runs.at(-1);
    if (last?.kind === kind && kind !== 'suspect') last.some.push(event);
    else runs.push({ kind, some: [event] });
  }
  return runs;
}

async function handleSuspect(work: BatchWork, event: StoredEvent, processes: number): Promise<void> {
  if (processes >= processesOfOne) {
    const reason = `${processes} processes in a row ended while they handled it; it may need more memory than they have`;
    return putAside(work, event, { reason, isDeadly: true }, (tx) => notifyGivenUp(work, tx, event, reason));
  }
  await work.attempts.beginAlone(event);
  await handleAlone(work, event);
}

/** Lets a consumer end the work that waits for the event. A consumer that cannot read the event is not notified. */
async function notifyGivenUp(work: BatchWork, tx: Tx, event: StoredEvent, reason: string): Promise<void> {
  const { consumer } = work;
  if (!consumer.givenUp) return;
  traceOn(tx, traceOfCause([event]));
  try {
    await consumer.givenUp(tx, event, reason);
  } catch (error) {
    if (!(error instanceof UnreadableEvent)) throw error;
  }
}

async function handleInHalves(work: BatchWork, events: StoredEvent[]): Promise<void> {
  if (events.length === 1) return handleAlone(work, events[0]!);
  try {
    await handleTogether(work, events);
  } catch (error) {
    if (error instanceof HandleApart) return handleApart(work, events, error.at);
    // Events before a newer event do not wait with it.
    if (!(error instanceof NewerEvent) && (await isTransient(work, error))) throw error;
    await handleApart(work, events, events.length >> 1);
  }
}

async function handleApart(work: BatchWork, events: StoredEvent[], at: number): Promise<void> {
  await handleInHalves(work, events.slice(0, at));
  await handleInHalves(work, events.slice(at));
}

async function handleAlone(work: BatchWork, event: StoredEvent): Promise<void> {
  for (;;) {
    try {
      await handleTogether(work, [event]);
      return;
    } catch (error) {
      if (await isTransient(work, error)) throw error;
      const most = mostTries(work, error);
      const tries = most > 1 ? await work.attempts.failed(event) : 1;
      if (tries >= most) return await putAside(work, event, whyParked(error, tries));
      await work.wait(pauseAfter(tries, backOffMs));
    }
  }
}

function mostTries(work: BatchWork, error: unknown): number {
  // An error in the event itself is permanent.
  if (work.triesOnce || error instanceof UnreadableEvent || error instanceof InputError) return 1;
  if (ranOutOfTime(error)) return triesOutOfTime;
  return worthAnotherTry(error) ? (work.triesOfWaiting ?? 2 * triesOfOne) : triesOfOne;
}

async function handleTogether(work: BatchWork, events: StoredEvent[]): Promise<void> {
  const { consumer } = work;
  const effects = await consumer.handle(events.map(work.read ?? known));
  if (!effects) {
    await work.passedOver(events);
    await work.attempts.finish(work.db.manager, events);
    work.attempts.finished(events);
    return;
  }
  const afterCommit = await commitOnce(work, events, effects);
  work.attempts.finished(events);
  work.movedOn(events.at(-1)!);
  try {
    afterCommit?.();
  } catch (error) {
    // The events are handled; a failed hint must not cause them to be handled again.
    work.onError(error as Error);
  }
}

/** Commits the effects of events that were not handled before, together with their marks; of others, only their place. */
function commitOnce(
  work: BatchWork,
  events: StoredEvent[],
  effects: Effects,
): Promise<AfterCommit | undefined> {
  return work.db.transaction(async (tx) => {
    if ((await claimAll(work, tx, events)) === 0) return undefined;
    traceOn(tx, traceOfCause(events));
    return effects(tx);
  });
}

/** Moves the place of the consumer behind events that were handled before. */
async function moveBehind(work: BatchWork, events: StoredEvent[]): Promise<void> {
  await claimHandled(work, events);
  work.movedOn(events.at(-1)!);
}

async function claimHandled(work: BatchWork, events: StoredEvent[]): Promise<void> {
  await work.db.transaction(async (tx) => {
    if ((await claimAll(work, tx, events)) > 0) throw new BatchPartlyHandled();
  });
}

/** @returns how many of the events were not handled before: all or none. @throws BatchPartlyHandled, after which the batch is split. */
async function claimAll(work: BatchWork, tx: Tx, events: StoredEvent[]): Promise<number> {
  const [fresh] = await Promise.all([work.claim(tx, events), work.attempts.finish(tx, events)]);
  if (fresh !== events.length && fresh > 0) throw new BatchPartlyHandled();
  return fresh;
}

/** Events written while a batch is handled follow from the newest event of its key; if there is none, from the only event. */
function traceOfCause(events: StoredEvent[]): (key: string) => EventTrace | undefined {
  const [only, second] = events;
  if (!second) return () => traceOfEvent(only!);
  let newest: Map<string, StoredEvent> | undefined;
  return (key) => {
    newest ??= new Map(events.map((event) => [event.key, event]));
    const cause = newest.get(key);
    return cause && traceOfEvent(cause);
  };
}

async function putAside(
  work: BatchWork,
  event: StoredEvent,
  why: Parked,
  effect?: (tx: Tx) => Promise<void>,
): Promise<void> {
  const { db, consumer } = work;
  if (work.parking && !(await isHandled(db.manager, consumer.name, event))) {
    await work.parking(event, why);
  }
  const isParked = await db.transaction(async (tx) => {
    const isFresh = (await work.claim(tx, [event])) > 0;
    if (isFresh) await park(tx, consumer.name, event, why, placeOf(work, event, why));
    await work.parked?.(tx);
    await work.attempts.finish(tx, [event]);
    if (isFresh) await effect?.(tx);
    return isFresh;
  });
  work.attempts.finished([event]);
  work.movedOn(event);
  if (isParked) work.onParked(event, why.reason);
}

const logTopics = new Set<string>(Object.values(topics));

/**
 * An event of the log is handled again without a request, since whatever it was about would stay forgotten otherwise: every handler compares
 * an event with what has happened since. A message from outside is not, as a newer one of its sender may have been applied.
 */
function placeOf(
  { consumer, originOf, triesBefore = 0 }: BatchWork,
  event: StoredEvent,
  { isDeadly }: Parked,
): { origin: LetterOrigin; retryInMs: number | undefined } {
  const isRetried = logTopics.has(event.topic) && takesLetters(consumer) && !isDeadly;
  const retryInMs = pauseAfter(triesBefore + 1, retryMs);
  return { origin: originOf?.(event), retryInMs: isRetried ? retryInMs : undefined };
}

async function isTransient(work: BatchWork, error: unknown): Promise<boolean> {
  // An event that is no longer in the log is read again, and not found. A newer event waits for a process that knows
  // it.
  if (error instanceof NewerEvent) return true;
  if (error instanceof BatchOvertaken || error instanceof EventNotInLog) return true;
  return await isDatabaseAway(work.db, error);
}

function whyParked(error: unknown, tries: number): Parked {
  const message = (error instanceof Error && error.message) || String(error);
  const reason = ranOutOfTime(error) ? `each of ${tries} attempts ran out of time: ${message}` : message;
  if (error instanceof UnreadableEvent) return { reason, field: error.field };
  return error instanceof InputError ? { reason, field: error.path } : { reason };
}

class BatchPartlyHandled extends CurtailError {
  readonly code = 'batch-partly-handled';
}
