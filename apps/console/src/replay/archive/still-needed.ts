import type { DataSource } from 'typeorm';
import { counted } from '#contracts';
import type { Cursor, Tx } from '#event-store';

/** Why a part of the log has to stay in the database, and the remedy. */
export interface Need {
  what: string;
  next: string;
}

/** Readers that still have to read the log up to a place, or may be asked to. Empty: it can be dropped. */
export async function stillNeeded(db: Tx | DataSource, partition: string, through: Cursor): Promise<Need[]> {
  const place = [through.transactionId, through.position];
  const behind = '(transaction_id, position) < ($1::xid8, $2::bigint)';
  const consumers = await db.query<{ name: string }[]>(
    `SELECT name FROM subscriptions WHERE ${behind} ORDER BY name`,
    place,
  );
  const relays = await db.query<{ name: string }[]>(
    `SELECT destination AS name FROM relays WHERE ${behind} ORDER BY 1`,
    place,
  );
  const replays = await db.query<{ id: string }[]>(
    `SELECT id FROM replays WHERE state = 'running' AND "into" <> 'archive' ORDER BY id`,
  );
  const listed = await db.query<{ enforcement: string }[]>(
    `SELECT enforcement FROM read_victims_missing
     WHERE (transaction_id, position) <= ($1::xid8, $2::bigint) ORDER BY enforcement`,
    place,
  );
  const letters = await db.query<{ consumer: string; count: number }[]>(
    `SELECT consumer, count(*)::int AS count FROM dead_letters d
     WHERE EXISTS (SELECT FROM ${partition} e WHERE e.id = d.event_id) GROUP BY consumer ORDER BY consumer`,
  );
  const [unsettled] = await db.query<{ held: boolean }[]>('SELECT NOT ($1::xid8 < log_settled()) AS held', [
    through.transactionId,
  ]);
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
