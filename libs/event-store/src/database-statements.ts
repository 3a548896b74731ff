import type { DataSource } from 'typeorm';
import type { Tx } from './database.js';
import { ofEachSession } from './session-settings.js';

/** The current time of the database. A decision reads it inside its transaction, after the locks that it waits for. */
export async function databaseTime(db: Tx | DataSource): Promise<Date> {
  const rows = await db.query<{ now: Date }[]>("SELECT date_trunc('milliseconds', clock_timestamp()) AS now");
  return rows[0]!.now;
}

/**
 * Plans the following statements of a transaction for their values. Connections plan each statement once for all values
 * (`PreparingClient`), which is wrong by orders of magnitude where a list of ids is long, a queue is most of its partition, or a table
 * was empty when the first connection planned and is not any more.
 */
export async function planForValues(tx: Pick<Tx, 'query'>): Promise<void> {
  await tx.query('SET LOCAL plan_cache_mode = force_custom_plan');
}

/**
 * Deletes expired rows of a table, the oldest first. Skips locked rows.
 *
 * @param options.key an indexed order, the oldest first; each row is deleted by its ctid, since it is locked.
 * @param options.isOver SQL, $1 is `days`.
 * @returns the number of deleted rows; fewer than `limit` if none is left. Call it again until then.
 */
export async function deleteOldest(
  db: DataSource,
  table: string,
  { key, isOver, days, limit }: { key: string[]; isOver: string; days: number; limit: number },
): Promise<number> {
  const order = key.map((column) => `${table}.${column}`).join(', ');
  const [, rows] = await db.query<[unknown, number]>(
    `DELETE FROM ${table} WHERE ctid = ANY (ARRAY(
       SELECT ctid FROM ${table} WHERE ${isOver} ORDER BY ${order} LIMIT $2 FOR UPDATE SKIP LOCKED))`,
    [days, limit],
  );
  return rows;
}

/** The size of tables on disk, indexes included. */
export async function tableSizes(
  db: DataSource,
  tables: readonly string[],
): Promise<{ table: string; bytes: number }[]> {
  return db.query(
    `SELECT name AS table,
            coalesce((SELECT sum(pg_total_relation_size(relid)) FROM pg_partition_tree(to_regclass(name))),
                     pg_total_relation_size(to_regclass(name)))::float8 AS bytes
     FROM unnest($1::text[]) AS name`,
    [tables],
  );
}

/** A setting that a session has otherwise than `withSession` sets it. */
export interface SessionFault {
  setting: string;
  is: string;
  mustBe: string;
}

/**
 * Finds settings that did not reach the server, although the connections of `database` have them in their address: a pooler between the two may
 * drop them.
 */
export async function sessionFaults(database: DataSource): Promise<SessionFault[]> {
  const { search_path: _, ...checked } = ofEachSession;
  const rows = await database.query<SessionFault[]>(
    `SELECT s.name AS setting, s.setting AS is, wanted.value AS "mustBe"
     FROM unnest($1::text[], $2::text[]) AS wanted (name, value)
     JOIN pg_settings s ON lower(s.name) = lower(wanted.name)
     WHERE s.setting <> wanted.value ORDER BY 1`,
    [Object.keys(checked), Object.values(checked)],
  );
  return rows;
}

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
