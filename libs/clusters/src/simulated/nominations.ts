import type { DataSource, EntityManager } from 'typeorm';
import type { Resources } from '#contracts';
import type { Nomination } from '../driver.js';

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
