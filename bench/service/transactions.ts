import pg from 'pg';

/** Transactions of a database since it was made, as far as its server has counted them by now. */
export async function countTransactions(databaseUrl: string): Promise<number> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const { rows } = await client.query<{ count: string }>(
      'SELECT xact_commit + xact_rollback AS count FROM pg_stat_database WHERE datname = current_database()',
    );
    return Number(rows[0]!.count);
  } finally {
    await client.end();
  }
}
