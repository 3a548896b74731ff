import type { DataSource } from 'typeorm';
import type { KeptNote } from '#enforcement';
import type { Tx } from '#event-store';

export interface NotesKey {
  policy: string;
  partition: string;
}

interface Row {
  allocation: string;
  uid: string | null;
  application: string;
  queue: string;
  notified_at: Date;
  kill_at: Date;
  round: string;
  notified_by: string;
  approved: boolean;
}

/** The allocations of a partition whose owners were notified, by id. */
export async function readNotes(db: DataSource | Tx, { policy, partition }: NotesKey): Promise<KeptNote[]> {
  const rows = await db.query<Row[]>(
    `SELECT allocation, uid, application, queue, notified_at, kill_at, round::text, notified_by, approved FROM victim_notes
     WHERE policy = $1 AND partition = $2 ORDER BY allocation COLLATE "C"`,
    [policy, partition],
  );
  return rows.map(({ uid, notified_at, kill_at, round, notified_by, ...row }) => ({
    ...row,
    ...(uid === null ? {} : { uid }),
    notifiedAt: notified_at.toISOString(),
    killAt: kill_at.toISOString(),
    round: Number(round),
    notifiedBy: notified_by,
  }));
}

/** In the transaction that records the notification of the owners. A note of another incarnation is replaced. */
export async function writeNotes(tx: Tx, { policy, partition }: NotesKey, notes: KeptNote[]): Promise<void> {
  if (notes.length === 0) return;
  await tx.query(
    `INSERT INTO victim_notes (policy, partition, allocation, uid, application, queue, notified_at, kill_at, round, notified_by)
     SELECT $1, $2, * FROM unnest($3::text[], $4::text[], $5::text[], $6::text[], $7::timestamptz[], $8::timestamptz[], $9::bigint[],
                                  $10::text[])
     ON CONFLICT (policy, partition, allocation) DO UPDATE SET uid = excluded.uid, application = excluded.application,
       queue = excluded.queue, notified_at = excluded.notified_at, kill_at = excluded.kill_at, round = excluded.round,
       notified_by = excluded.notified_by, approved = false`,
    [
      policy,
      partition,
      notes.map((note) => note.allocation),
      notes.map((note) => note.uid ?? null),
      notes.map((note) => note.application),
      notes.map((note) => note.queue),
      notes.map((note) => note.notifiedAt),
      notes.map((note) => note.killAt),
      notes.map((note) => note.round),
      notes.map((note) => note.notifiedBy),
    ],
  );
}

export async function dropNotes(
  tx: Tx,
  { policy, partition }: NotesKey,
  allocations: string[],
): Promise<void> {
  if (allocations.length === 0) return;
  await tx.query(
    'DELETE FROM victim_notes WHERE policy = $1 AND partition = $2 AND allocation = ANY ($3::text[])',
    [policy, partition, allocations],
  );
}

/** An operator approved the kills of these. */
export async function approveNotes(
  tx: Tx,
  { policy, partition }: NotesKey,
  allocations: string[],
): Promise<void> {
  if (allocations.length === 0) return;
  await tx.query(
    'UPDATE victim_notes SET approved = true WHERE policy = $1 AND partition = $2 AND allocation = ANY ($3::text[])',
    [policy, partition, allocations],
  );
}

/**
 * The policy is switched off: no kill follows the notifications so far, and owners are notified again once it is back on. A round
 * under way is over at once: it records nothing more and kills nothing.
 */
export async function callOff(tx: Tx, { policy, partition }: NotesKey): Promise<void> {
  await tx.query(
    `UPDATE rounds SET state = 'over' WHERE policy = $1 AND partition = $2 AND state <> 'over'`,
    [policy, partition],
  );
  await tx.query('DELETE FROM victim_notes WHERE policy = $1 AND partition = $2', [policy, partition]);
}
