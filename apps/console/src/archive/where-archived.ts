import type { DataSource } from 'typeorm';
import { answersStream, operatorStream, planStream, runStream } from '#event-store';

/** The archive that holds the events of a run. */
export interface ArchivedAt {
  partition: string;
  /** Below the folder of archives. */
  file: string;
}

/** Undefined for a run whose events are in the database, and for an unknown run. */
export async function whereArchived(db: DataSource, enforcement: string): Promise<ArchivedAt | undefined> {
  const rows = await db.query<ArchivedAt[]>(
    `SELECT p.name AS partition, concat_ws('/', nullif(p.archive ->> 'folder', '.'), p.archive ->> 'file') AS file
     FROM stream_heads h JOIN log_partitions p ON p.name = h.archived_in
     WHERE h.stream = ANY ($1::text[]) LIMIT 1`,
    [
      [
        planStream(enforcement),
        runStream(enforcement),
        operatorStream(enforcement),
        answersStream(enforcement),
      ],
    ],
  );
  return rows[0];
}

/** Time up to which the log is archived, RFC 3339; null: none of it is. */
export async function archivedUntil(db: DataSource): Promise<string | null> {
  const rows = await db.query<{ until: Date | null }[]>(
    "SELECT max(ends_at) AS until FROM log_partitions WHERE archive_state IN ('detached', 'dropped')",
  );
  return rows[0]?.until?.toISOString() ?? null;
}

/** A sentence that names the archive and the next step. */
export const archivedSentence = (enforcement: string, { file }: ArchivedAt): string =>
  `The events of ${enforcement} are archived in ${file} below CURTAIL_ARCHIVE_DIR of the console. To compute its plan again: curtail replay --archive`;
