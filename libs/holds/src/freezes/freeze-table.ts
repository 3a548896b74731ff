import type { DataSource } from 'typeorm';
import type { FreezeWindow } from '#contracts';
import type { Tx } from '#event-store';
import { FreezeRow } from '../entities.js';
import type { ConfiguredFreeze } from './configured-freezes.js';
import type { Freeze } from './freeze.js';

/** The freezes of a partition, as JSON: a list of `Freeze`. @param partition SQL. */
export const FREEZES_OF = (partition: string) => `
  (SELECT coalesce(json_agg(json_strip_nulls(json_build_object(
                              'freeze', id, 'window', period, 'by', set_by, 'reason', reason, 'since', set_at,
                              'configured', CASE WHEN configured THEN true END))::jsonb
                            || jsonb_build_object('queue', nullif(queue, '')) ORDER BY id), '[]')
   FROM freezes WHERE freezes.partition = ${partition})`;

/** Whether configurations have set freezes that are in force. @param partition SQL. */
export const HAS_CONFIGURED_FREEZES = (partition: string) =>
  `EXISTS (SELECT FROM freezes WHERE freezes.partition = ${partition} AND freezes.configured)`;

/** SQL of a query: the partitions that have freezes, each once. */
export const FROZEN_PARTITIONS = 'SELECT DISTINCT partition FROM freezes';

/** The freezes that are set, by partition. @param partition undefined: all. */
export function freezesIn(
  db: DataSource,
  partition?: string,
): Promise<{ partition: string; freezes: Freeze[] }[]> {
  return db.query(
    `SELECT p.partition, ${FREEZES_OF('p.partition')} AS freezes
     FROM (${FROZEN_PARTITIONS}) AS p WHERE $1::text IS NULL OR p.partition = $1 ORDER BY p.partition`,
    [partition ?? null],
  );
}

export interface NewFreeze {
  freeze: string;
  partition: string;
  /** null: the whole partition. */
  queue: string | null;
  window: FreezeWindow;
  by: string;
  reason: string | undefined;
}

/** Of operators in one partition, so that each check of its runs stays fast. */
export const mostFreezes = 100;

/** In effect from the time of the transaction. Writes it in the transaction of its event, and removes those that are over. @returns false if there are too many. */
export async function saveFreeze(
  tx: Tx,
  { freeze, partition, queue, window, by, reason }: NewFreeze,
): Promise<boolean> {
  await tx.query(`DELETE FROM freezes WHERE partition = $1 AND (period ->> 'until')::timestamptz <= now()`, [
    partition,
  ]);
  const added = await tx.query<unknown[]>(
    `INSERT INTO freezes (id, partition, queue, period, set_by, reason, set_at)
     SELECT $1, $2, $3, $4::jsonb, $5, $6, date_trunc('milliseconds', clock_timestamp())
     WHERE (SELECT count(*) FROM freezes WHERE partition = $2 AND NOT configured) < $7 RETURNING id`,
    [freeze, partition, queue ?? '', JSON.stringify(window), by, reason ?? null, mostFreezes],
  );
  return added.length > 0;
}

/** Those of operators in a partition, or of one queue, or one of them by its id. @returns those that there were. */
export async function dropFreezes(
  tx: Tx,
  {
    partition,
    queue,
    freeze,
  }: { partition: string; queue?: string | undefined; freeze?: string | undefined },
): Promise<{ freeze: string; queue: string | null }[]> {
  const which = { partition, configured: false };
  const { raw } = await tx
    .createQueryBuilder()
    .delete()
    .from(FreezeRow)
    .where({ ...which, ...(queue !== undefined && { queue }), ...(freeze !== undefined && { id: freeze }) })
    .returning(['id', 'queue'])
    .execute();
  return (raw as Pick<FreezeRow, 'id' | 'queue'>[])
    .map(({ id, queue: frozen }) => ({ freeze: id, queue: frozen || null }))
    .sort((a, b) => (a.freeze < b.freeze ? -1 : 1));
}

/** Those of the configuration that it replaces. */
export interface FreezesChanged {
  set: ConfiguredFreeze[];
  cleared: { freeze: string; queue: string | null }[];
}

/**
 * Puts the freezes of a configuration in the place of those of the one before. Windows that are over are left out.
 *
 * @param by who sent the configuration.
 * @returns the differences, to be recorded as events in the same transaction.
 */
export async function putConfiguredFreezes(
  tx: Tx,
  partition: string,
  freezes: readonly ConfiguredFreeze[],
  by: string,
): Promise<FreezesChanged> {
  const [cleared] = await tx.query<[FreezesChanged['cleared'], number]>(
    `DELETE FROM freezes WHERE partition = $1 AND configured AND id <> ALL ($2::text[])
     RETURNING id AS "freeze", nullif(queue, '') AS queue`,
    [partition, freezes.map(({ freeze }) => freeze)],
  );
  const added = await tx.query<{ id: string }[]>(
    `INSERT INTO freezes (id, partition, queue, period, set_by, reason, set_at, configured)
     SELECT w.id, $1, w.queue, w.period::jsonb, $2, w.reason, date_trunc('milliseconds', clock_timestamp()), true
     FROM unnest($3::text[], $4::text[], $5::text[], $6::text[]) AS w (id, queue, period, reason)
     WHERE coalesce((w.period::jsonb ->> 'until')::timestamptz > now(), true)
     ON CONFLICT (id) DO NOTHING RETURNING id`,
    [
      partition,
      by,
      freezes.map(({ freeze }) => freeze),
      freezes.map(({ queue }) => queue ?? ''),
      freezes.map(({ window }) => JSON.stringify(window)),
      freezes.map(({ reason }) => reason ?? null),
    ],
  );
  const isNew = new Set(added.map(({ id }) => id));
  return {
    set: freezes.filter(({ freeze }) => isNew.has(freeze)),
    cleared: cleared.sort((a, b) => (a.freeze < b.freeze ? -1 : 1)),
  };
}
