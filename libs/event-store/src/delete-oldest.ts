import type { DataSource } from 'typeorm';

/**
 * Deletes rows of a table that are over, the oldest first. Locked rows are left for another time.
 *
 * @param options.key by which an index has the oldest first; each row is deleted by where it stands, for it is locked.
 * @param options.isOver SQL, $1 is `days`.
 * @returns how many there were; a number below `limit` says that none is left. Call it again until then.
 */
export async function deleteOldest(
  db: DataSource,
  table: string,
  { key, isOver, days, limit }: { key: string[]; isOver: string; days: number; limit: number },
): Promise<number> {
  const order = key.map((column) => `${table}.${column}`).join(', ');
  const [, rows]: [unknown, number] = await db.query(
    `DELETE FROM ${table} WHERE ctid = ANY (ARRAY(
       SELECT ctid FROM ${table} WHERE ${isOver} ORDER BY ${order} LIMIT $2 FOR UPDATE SKIP LOCKED))`,
    [days, limit],
  );
  return rows;
}
