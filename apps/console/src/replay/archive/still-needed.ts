import type { DataSource } from 'typeorm';
import { counted } from '#contracts';
import { type Cursor, type LogPartition, moveOn, type Tx } from '#event-store';
import {
  consumersBehind,
  countWorked,
  isUnsettled,
  lettersIn,
  relaysBehind,
  replaysInProgress,
  runsListedUpTo,
  someBehind,
  someWorkedWith,
} from './statements.js';

/** Why a part of the log has to stay in the database, and the remedy. */
export interface Need {
  what: string;
  next: string;
}

/** Readers that still have to read the log up to a place, or may be asked to. Empty: it can be dropped. */
export async function stillNeeded(db: Tx | DataSource, partition: string, through: Cursor): Promise<Need[]> {
  const place = [through.transactionId, through.position];
  const consumers = await consumersBehind(db, place);
  const relays = await relaysBehind(db, place);
  const replays = await replaysInProgress(db);
  const listed = await runsListedUpTo(db, place);
  const letters = await lettersIn(db, partition);
  const [unsettled] = await isUnsettled(db, through.transactionId);
  return [
    ...consumers.map(({ name }) => ({
      what: `the consumer ${name} has not read it`,
      next: `run its service until curtail_consumer_lag_events{consumer="${name}"} is 0; if the consumer no longer exists, delete its row in subscriptions`,
    })),
    ...relays.map(({ name }) => ({
      what: `it is not published to ${name} yet`,
      next: 'run the relay until curtail_events_published_total no longer rises; if this Kafka is no longer used, delete its row in relays',
    })),
    ...replays.map(({ id }) => ({
      what: `the replay ${id} reads it`,
      next: `wait for it (curtail get replays), or stop it: curtail replay --stop ${id}`,
    })),
    ...listed.map(({ enforcement }) => ({
      what: `the victims of run ${enforcement} are still being listed`,
      next: 'run the console until they are',
    })),
    ...letters.map(({ consumer, count }) => ({
      what: `${counted(count, 'of its events is a dead letter', 'of its events are dead letters')} of ${consumer}, which may be retried`,
      next: 'retry or discard them: curtail dead-letters',
    })),
    ...(unsettled?.held
      ? [{ what: 'an old transaction still runs', next: 'end it: pg_stat_activity shows it' }]
      : []),
  ];
}

/** How many events of a partition are still in use. */
export async function countWorkedWith(db: DataSource, { name }: LogPartition): Promise<number> {
  const rows = await countWorked(db, name);
  return rows[0]?.count ?? 0;
}

/**
 * Moves events in use into the next partition, with their positions in the commit order, so that they stay in the database when
 * their partition is dropped.
 *
 * @returns how many events there were.
 */
export function keepWorkedWith(db: DataSource, partition: LogPartition): Promise<number> {
  return keep(db, partition, () => someWorkedWith(db, partition.name));
}

/** The same for all events behind the end of the archived part. */
export function keepBehind(db: DataSource, partition: LogPartition, through: Cursor): Promise<number> {
  return keep(db, partition, () => someBehind(db, partition.name, through));
}

/** In batches, each in its own transaction, so that other writers never wait long. */
async function keep(
  db: DataSource,
  partition: LogPartition,
  next: () => Promise<{ position: string }[]>,
): Promise<number> {
  for (let moved = 0; ; ) {
    const rows = await next();
    if (rows.length === 0) return moved;
    moved += rows.length;
    const positions = rows.map(({ position }) => position);
    await db.transaction((tx) => moveOn(tx, partition, positions));
  }
}
