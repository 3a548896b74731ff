import { isDeepStrictEqual } from 'node:util';
import { Any, Column, type DataSource, Entity, LessThan, PrimaryColumn } from 'typeorm';
import type { KeptNote } from '#enforcement';
import type { Tx } from '#event-store';
import { endRounds } from '../round-table.js';
import type { Departure, Evicted } from './departures.js';

/** The departures of a partition as of the last round that was settled. */
export async function readDepartures(db: DataSource, partition: string): Promise<Departure[]> {
  const known = await db.getRepository(Departures).findOneBy({ partition });
  return [...(known?.allocations ?? [])];
}

/** The evictions of a partition since an instant that runs have carried out, of all policies. */
export function readEvicted(db: DataSource, partition: string, since: Date): Promise<Evicted[]> {
  return db.query<Evicted[]>(
    `SELECT DISTINCT ON (allocation) allocation, queue, resources, evicted_at AS at FROM recent_victims
     WHERE partition = $1 AND evicted_at > $2 AND resources IS NOT NULL
     ORDER BY allocation, evicted_at DESC`,
    [partition, since.toISOString()],
  );
}

/** In the transaction that settles the round. Most rounds see the same departures as the one before: they write nothing. */
export async function writeDepartures(
  tx: Tx,
  partition: string,
  before: readonly Departure[],
  after: readonly Departure[],
): Promise<void> {
  if (isDeepStrictEqual(before, after)) return;
  await tx.getRepository(Departures).upsert({ partition, allocations: after }, ['partition']);
}

export interface NotesKey {
  policy: string;
  partition: string;
}

/** The allocations of a partition whose owners were notified, by id. */
export async function readNotes(db: DataSource | Tx, { policy, partition }: NotesKey): Promise<KeptNote[]> {
  const rows = await db.query<Omit<VictimNote, keyof NotesKey>[]>(
    `SELECT allocation, uid, application, queue, notified_at AS "notifiedAt", kill_at AS "killAt", round::text,
            notified_by AS "notifiedBy", approved
     FROM victim_notes
     WHERE policy = $1 AND partition = $2 ORDER BY allocation COLLATE "C"`,
    [policy, partition],
  );
  return rows.map(({ uid, notifiedAt, killAt, round, ...row }) => ({
    ...row,
    ...(uid === null ? {} : { uid }),
    notifiedAt: notifiedAt.toISOString(),
    killAt: killAt.toISOString(),
    round: Number(round),
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
  await tx.delete(VictimNote, { policy, partition, allocation: Any(allocations) });
}

/** An operator approved the kills of these. */
export async function approveNotes(
  tx: Tx,
  { policy, partition }: NotesKey,
  allocations: string[],
): Promise<void> {
  if (allocations.length === 0) return;
  await tx.update(VictimNote, { policy, partition, allocation: Any(allocations) }, { approved: true });
}

/**
 * The policy is switched off: no kill follows the notifications so far, and owners are notified again once it is back on. A round
 * under way is over at once: it records nothing more and kills nothing.
 */
export async function callOffNotes(tx: Tx, { policy, partition }: NotesKey): Promise<void> {
  await endRounds(tx, policy, partition);
  await tx.delete(VictimNote, { policy, partition });
}

/** The least retention: longer than any sensible cooldown, yet limited. */
const keptMs = 7 * 86_400_000;

/** When each application last lost an allocation to a round, as an instant. */
export async function readPreempted(db: DataSource, partition: string): Promise<ReadonlyMap<string, string>> {
  const lost = await db.getRepository(PreemptedApplication).findBy({ partition });
  return new Map(
    lost.map(({ application, lastPreemptedAt }) => [application, lastPreemptedAt.toISOString()]),
  );
}

/**
 * Records when applications lost allocations to a round, for the cooldown; in the transaction that records the end of
 * the round. Deletes entries older than any cooldown in force.
 */
export async function notePreempted(
  tx: Tx,
  partition: string,
  applications: Iterable<string>,
  { at, cooldownMs }: { at: Date; cooldownMs: number },
): Promise<void> {
  const names = [...new Set(applications)].sort();
  if (names.length === 0) return;
  // There were no losses before 1970, and a cooldown may be longer than dates go back.
  const keptSince = new Date(Math.max(0, at.getTime() - Math.max(keptMs, cooldownMs)));
  await tx.delete(PreemptedApplication, { partition, lastPreemptedAt: LessThan(keptSince) });
  await tx.query(
    `INSERT INTO preempted_applications (partition, application, last_preempted_at)
     SELECT $1, application, $3 FROM unnest($2::text[]) AS lost (application)
     ON CONFLICT (partition, application) DO UPDATE
       SET last_preempted_at = greatest(preempted_applications.last_preempted_at, excluded.last_preempted_at)`,
    [partition, names, at.toISOString()],
  );
}

/** A notification of an owner, before the kill. */
@Entity('victim_notes')
class VictimNote {
  @PrimaryColumn('text') policy: string;
  @PrimaryColumn('text') partition: string;
  @PrimaryColumn('text') allocation: string;
  @Column('text', { nullable: true }) uid: string | null;
  @Column('text') application: string;
  @Column({ type: 'text', collation: 'C' }) queue: string;
  @Column({ type: 'timestamptz', precision: 3 }) notifiedAt: Date;
  @Column({ type: 'timestamptz', precision: 3 }) killAt: Date;
  @Column('bigint') round: string;
  /** The run. */
  @Column('text') notifiedBy: string;
  @Column('boolean', { default: false }) approved: boolean;
}

/** When an application last lost an allocation to a round of its queue. */
@Entity('preempted_applications')
class PreemptedApplication {
  @PrimaryColumn('text') partition: string;
  @PrimaryColumn('text') application: string;
  @Column({ type: 'timestamptz', precision: 3 }) lastPreemptedAt: Date;
}

/** The departures of a partition as of the last round that was settled. */
@Entity('departures')
class Departures {
  @PrimaryColumn('text') partition: string;
  @Column('json') allocations: readonly Departure[];
}
