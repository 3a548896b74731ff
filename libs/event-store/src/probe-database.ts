import pg from 'pg';
import { answerWithin } from '#waiting';
import { withSession } from './session-settings.js';

/**
 * Checks whether a PostgreSQL answers now, over a connection of its own: an existing connection does not show that its
 * server hangs.
 *
 * @throws with the reason, `withinMs` at the latest.
 */
export const probeDatabase = (url: string, withinMs = 2000): Promise<void> =>
  askDatabase(url, 'SELECT 1', withinMs);

/** Sends one statement over a connection of its own. @throws with the reason, `withinMs` at the latest. */
export async function askDatabase(url: string, statement: string, withinMs = 2000): Promise<void> {
  const client = new pg.Client({
    connectionString: withSession(url),
    application_name: 'curtail-probe',
    connectionTimeoutMillis: withinMs,
    query_timeout: withinMs,
  });
  // A failure is an event; without a listener it would end the process.
  client.on('error', () => {});
  try {
    await answerWithin(withinMs, () => client.connect().then(() => client.query(statement)));
  } finally {
    // A hanging server does not answer the end of the connection either.
    client.end().catch(() => {});
  }
}

/** 512 rows of 2 kB: a megabyte, in whole blocks that the server must find room for at once. */
const rows = 512;

/**
 * Checks whether a PostgreSQL takes writes now: writes a megabyte into a table of this session, and rolls back. That fails where its disk
 * is full, or where it is read-only. Takes some 10 ms.
 *
 * @throws the error of the server, `withinMs` at the latest.
 */
export async function probeWrite(url: string, withinMs = 2000): Promise<void> {
  const client = new pg.Client({
    connectionString: url,
    application_name: 'curtail-probe',
    connectionTimeoutMillis: withinMs,
    query_timeout: withinMs,
  });
  // A failure is an event; without a listener it would end the process.
  client.on('error', () => {});
  try {
    await answerWithin(withinMs, async () => {
      await client.connect();
      await client.query('BEGIN');
      await client.query(
        `CREATE TEMP TABLE curtail_room ON COMMIT DROP AS
         SELECT repeat(md5(nr::text), 60) AS filler FROM generate_series(1, ${rows}) AS nr`,
      );
      await client.query('ROLLBACK');
    });
  } finally {
    // A hanging server does not answer the end of the connection either.
    client.end().catch(() => {});
  }
}
