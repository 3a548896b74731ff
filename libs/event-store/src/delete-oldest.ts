import type { DataSource } from 'typeorm';

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
