import type { DataSource } from 'typeorm';

/**
 * Settings by which a crash of the server, or of its machine, may take back commits: a kill that was ordered and
 * answered would not be on record, and could be sent once more.
 *
 * @returns one sentence for each setting, with what would be right.
 */
export async function durabilityWarnings(database: DataSource): Promise<string[]> {
  const rows: { name: string }[] = await database.query(
    `SELECT name FROM pg_settings
     WHERE name IN ('fsync', 'full_page_writes', 'synchronous_commit') AND setting = 'off' ORDER BY name`,
  );
  return rows.map(
    ({ name }) => `PostgreSQL runs with ${name} off: a crash may take back what was committed. Set it on.`,
  );
}
