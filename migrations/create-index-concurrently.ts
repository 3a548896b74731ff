import type { QueryRunner } from 'typeorm';

/** It blocks no one while it waits for older transactions; but it must not keep other processes from their turn forever. */
const lockTimeout = '60s';

/**
 * Makes an index while others write to the table. For migrations with `transaction = false`, which may be begun again: what is there
 * already stays, and what an earlier try has left unfinished is made again.
 *
 * @param definition table, columns and condition: `events (stream) WHERE …`.
 */
export async function createIndexConcurrently(
  runner: QueryRunner,
  name: string,
  definition: string,
): Promise<void> {
  const [before]: { timeout: string }[] = await runner.query(
    `SELECT current_setting('lock_timeout') AS timeout, set_config('lock_timeout', '${lockTimeout}', false)`,
  );
  try {
    const [found]: { valid: boolean }[] = await runner.query(
      'SELECT indisvalid AS valid FROM pg_index WHERE indexrelid = to_regclass($1)',
      [name],
    );
    if (found?.valid) return;
    if (found) await runner.query(`DROP INDEX CONCURRENTLY ${name}`);
    await runner.query(`CREATE INDEX CONCURRENTLY ${name} ON ${definition}`);
  } finally {
    await runner.query(`SELECT set_config('lock_timeout', $1, false)`, [before!.timeout]);
  }
}
