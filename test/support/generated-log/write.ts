import type { DataSource } from 'typeorm';
import { type PackedSnapshot, storeSnapshots } from '#event-store';
import { generateLog, type LogRow } from './generate.js';

const pageSize = 5000;

/**
 * Fills an empty log with generated events, and the snapshots that their plans were made from: a transaction for each 5,000.
 *
 * @param keepSnapshot false: this one is left out, as if its time were over.
 */
export async function writeGeneratedLog(
  db: DataSource,
  events: number,
  {
    seed = 1,
    keepSnapshot = () => true,
  }: { seed?: number; keepSnapshot?: (snapshot: PackedSnapshot) => boolean } = {},
): Promise<void> {
  const { cases, rows } = await generateLog(events, seed);
  await storeSnapshots(db.manager, cases.map(({ packed }) => packed).filter(keepSnapshot), 30);
  let page: LogRow[] = [];
  for (const row of rows) {
    page.push(row);
    if (page.length === pageSize) {
      await writeRows(db, page);
      page = [];
    }
  }
  await writeRows(db, page);
}

/** In one transaction. */
export async function writeRows(db: DataSource, rows: LogRow[]): Promise<void> {
  await db.query(
    `INSERT INTO events (stream, version, id, type, topic, partition, key, time, data)
     SELECT * FROM json_to_recordset($1::json) AS row (stream text, version int, id uuid, type text, topic text,
       partition text, key text, time timestamptz, data json)`,
    [JSON.stringify(rows)],
  );
}
