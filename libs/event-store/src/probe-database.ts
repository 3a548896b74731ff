import pg from 'pg';

/**
 * Whether a PostgreSQL answers now, asked over a connection of its own: one that is open for long does not tell that its
 * server hangs.
 *
 * @throws with the reason, `withinMs` at the latest.
 */
export async function probeDatabase(url: string, withinMs = 2000): Promise<void> {
  const client = new pg.Client({
    connectionString: url,
    application_name: 'curtail-probe',
    connectionTimeoutMillis: withinMs,
    query_timeout: withinMs,
  });
  // A failure is an event; without a listener it would end the process.
  client.on('error', () => {});
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${withinMs} ms`)), withinMs);
  });
  try {
    await Promise.race([client.connect().then(() => client.query('SELECT 1')), late]);
  } finally {
    clearTimeout(timer);
    // A server that hangs does not answer a goodbye either.
    client.end().catch(() => {});
  }
}
