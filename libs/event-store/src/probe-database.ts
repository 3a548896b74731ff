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
