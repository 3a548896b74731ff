import type { DataSource } from 'typeorm';
import { typesOf } from '#contracts/events';
import { enforcementStream } from '#event-store';

/**
 * That a run waits for a ceiling, or waited for one, and the version of the configuration that causes it: null if there is none, or it
 * is not known. undefined: no ceiling holds the run.
 */
export async function ceilingOfRun(
  db: DataSource,
  enforcement: string,
): Promise<{ configuration: number | null } | undefined> {
  const [found] = await db.query<{ configuration: number | null }[]>(
    `SELECT (SELECT configuration FROM runs WHERE enforcement = $1) AS configuration FROM events
     WHERE stream = $2 AND (type = ANY ($3::text[]) OR type = ANY ($4::text[]) AND data->>'ceiling' IS NOT NULL) LIMIT 1`,
    [
      ...[enforcement, enforcementStream(enforcement)],
      ...[typesOf('EnforcementHeld'), typesOf('EnforcementOpened')],
    ],
  );
  return found;
}
