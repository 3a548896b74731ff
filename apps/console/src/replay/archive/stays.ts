import type { DataSource } from 'typeorm';
import { type Cursor, type LogPartition, moveOn } from '#event-store';
import { countWorked, someBehind, someWorkedWith } from './statements.js';

/** How many events of a partition are still in use. */
export async function countWorkedWith(db: DataSource, { name }: LogPartition): Promise<number> {
  const rows = await countWorked(db, name);
  return rows[0]?.count ?? 0;
}

/**
 * Moves events in use into the next partition, with their positions in the commit order, so that they stay in the database when
 * their partition is dropped.
 *
 * @returns how many events there were.
 */
export function keepWorkedWith(db: DataSource, partition: LogPartition): Promise<number> {
  return keep(db, partition, () => someWorkedWith(db, partition.name));
}

/** The same for all events behind the end of the archived part. */
export function keepBehind(db: DataSource, partition: LogPartition, through: Cursor): Promise<number> {
  return keep(db, partition, () => someBehind(db, partition.name, through));
}

/** In batches, each in its own transaction, so that other writers never wait long. */
async function keep(
  db: DataSource,
  partition: LogPartition,
  next: () => Promise<{ position: string }[]>,
): Promise<number> {
  for (let moved = 0; ; ) {
    const rows = await next();
    if (rows.length === 0) return moved;
    moved += rows.length;
    const positions = rows.map(({ position }) => position);
    await db.transaction((tx) => moveOn(tx, partition, positions));
  }
}
