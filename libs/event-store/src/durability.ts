import type { DataSource } from 'typeorm';

/**
 * Finds settings under which a crash of the server or its machine may undo commits: a kill that was ordered and
 * answered would not be recorded, and could be sent again.
 *
 * @returns one sentence for each setting, with the right value.
 */
export async function durabilityWarnings(
  database: DataSource,
): Promise<{ setting: string; warning: string }[]> {
  const rows = await database.query<{ name: string }[]>(
    `SELECT name FROM pg_settings
     WHERE name IN ('fsync', 'full_page_writes', 'synchronous_commit') AND setting = 'off' ORDER BY name`,
  );
  return rows.map(({ name }) => ({
    setting: name,
    warning: `PostgreSQL runs with ${name} off: a crash may lose committed transactions. Set it to on.`,
  }));
}
