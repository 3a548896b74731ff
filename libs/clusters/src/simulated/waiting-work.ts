import type { DataSource, EntityManager } from 'typeorm';
import type { Resources } from '#contracts';
import type { Nomination } from '../driver.js';
import { isThere } from './is-there.js';

/** Room that is being freed on a node, and the application that it is freed for. */
export interface Nominated {
  id: string;
  node: string;
  application: string;
  resources: Resources;
}

export async function nominateFor(db: DataSource, nominations: readonly Nomination[]): Promise<void> {
  if (nominations.length === 0) return;
  await db.query(
    `INSERT INTO simulated_nominations (partition, node, application, resources, until)
     SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::jsonb[], $5::timestamptz[])`,
    [
      nominations.map(({ partition }) => partition),
      nominations.map(({ node }) => node),
      nominations.map(({ application }) => application),
      nominations.map(({ resources }) => JSON.stringify(resources)),
      nominations.map(({ until }) => until.toISOString()),
    ],
  );
}

/** The current nominations, oldest first; expired ones are deleted. */
export async function readNominations(tx: EntityManager, partition: string, now: Date): Promise<Nominated[]> {
  await tx.query('DELETE FROM simulated_nominations WHERE partition = $1 AND until <= $2', [partition, now]);
  return tx.query(
    'SELECT id::text, node, application, resources FROM simulated_nominations WHERE partition = $1 ORDER BY simulated_nominations.id',
    [partition],
  );
}

export async function dropNominations(tx: EntityManager, ids: string[]): Promise<void> {
  if (ids.length > 0)
    await tx.query('DELETE FROM simulated_nominations WHERE id = ANY ($1::bigint[])', [ids]);
}

/** An application that has pending work, and starts it as soon as there is room. */
export interface Waiting {
  id: string;
  queue: string;
  user: string | null;
  priority: number;
  submittedAt: Date | null;
  pending: { resources: Resources; count: number }[];
}

/** The partitions with such applications. */
export async function partitionsWaiting(db: DataSource): Promise<string[]> {
  const rows = await db.query<{ partition: string }[]>(
    `SELECT DISTINCT partition FROM simulated_applications WHERE properties ? 'startsWhenRoom' AND pending <> '[]'`,
  );
  return rows.map(({ partition }) => partition);
}

/** Those of a partition. */
export function readWaiting(tx: EntityManager, partition: string): Promise<Waiting[]> {
  return tx.query(
    `SELECT id, queue, "user", priority, submitted_at AS "submittedAt", pending FROM simulated_applications
     WHERE partition = $1 AND properties ? 'startsWhenRoom' AND pending <> '[]'`,
    [partition],
  );
}

/** What an application still waits for. */
export async function leavePending(
  tx: EntityManager,
  partition: string,
  id: string,
  pending: Waiting['pending'],
): Promise<void> {
  await tx.query('UPDATE simulated_applications SET pending = $3::jsonb WHERE partition = $1 AND id = $2', [
    partition,
    id,
    JSON.stringify(pending),
  ]);
}

/** All nodes, by id. */
export function readNodes(
  tx: EntityManager,
  partition: string,
): Promise<{ id: string; capacity: Resources }[]> {
  return tx.query('SELECT id, capacity FROM simulated_nodes WHERE partition = $1 ORDER BY id', [partition]);
}

/** Allocations of the same size, of one user in one queue, on one node. */
export interface Used {
  node: string | null;
  queue: string;
  user: string | null;
  resources: Resources;
  count: number;
}

/** The room that allocations take at a moment. */
export function readUsed(tx: EntityManager, partition: string, now: Date): Promise<Used[]> {
  return tx.query(
    `SELECT a.node, a.queue, app."user", a.resources, count(*)::int AS count
     FROM simulated_allocations a
     JOIN simulated_applications app ON app.partition = a.partition AND app.id = a.application
     WHERE a.partition = $1 AND ${isThere('$2', 'a')} GROUP BY 1, 2, 3, 4`,
    [partition, now],
  );
}
