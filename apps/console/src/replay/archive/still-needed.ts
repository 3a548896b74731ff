import { counted } from '@curtail/contracts';
import type { Cursor, Tx } from '@curtail/event-store';
import type { DataSource } from 'typeorm';

/** Why a part of the log has to stay in the database, and the remedy. */
export interface Need {
  what: string;
  next: string;
}

/** Readers that still have to read the log up to a place, or may be asked to. Empty: it can be dropped. */
export async function stillNeeded(db: Tx | DataSource, partition: string, through: Cursor): Promise<Need[]> {
  const place = [through.transactionId, through.position];
  const behind = '(transaction_id, position) < ($1::xid8, $2::bigint)';
  const consumers: { name: string }[] = await db.query(
    `SELECT name FROM subscriptions WHERE ${behind} ORDER BY name`,
    place,
  );
  const relays: { name: string }[] = await db.query(
    `SELECT destination AS name FROM relays WHERE ${behind} ORDER BY 1`,
    place,
  );
  const replays: { id: string }[] = await db.query(
    `SELECT id FROM replays WHERE state = 'running' AND "into" <> 'archive' ORDER BY id`,
  );
  const letters: { consumer: string; count: number }[] = await db.query(
    `SELECT consumer, count(*)::int AS count FROM dead_letters d
     WHERE EXISTS (SELECT FROM ${partition} e WHERE e.id = d.event_id) GROUP BY consumer ORDER BY consumer`,
  );
  const [unsettled]: { held: boolean }[] = await db.query('SELECT NOT ($1::xid8 < log_settled()) AS held', [
    through.transactionId,
  ]);
  return [
    ...consumers.map(({ name }) => ({
      what: `the consumer ${name} has not read it`,
      next: `have its service run until curtail_consumer_lag_events{consumer="${name}"} is 0; of a consumer that no longer exists, delete its row in subscriptions`,
    })),
    ...relays.map(({ name }) => ({
      what: `it is not published to ${name} yet`,
      next: 'have the relay run until curtail_events_published_total no longer rises; of a Kafka that is no longer used, delete its row in relays',
    })),
    ...replays.map(({ id }) => ({
      what: `the replay ${id} reads it`,
      next: `wait for it (curtail get replays), or stop it: curtail replay --stop ${id}`,
    })),
    ...letters.map(({ consumer, count }) => ({
      what: `${counted(count, 'of its events is a dead letter', 'of its events are dead letters')} of ${consumer}, which may be tried again`,
      next: 'retry or discard them: curtail dead-letters',
    })),
    ...(unsettled?.held
      ? [{ what: 'an old transaction still runs', next: 'end it: pg_stat_activity shows it' }]
      : []),
  ];
}
