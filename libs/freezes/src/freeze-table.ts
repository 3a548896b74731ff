import type { FreezeWindow } from '@curtail/contracts';
import type { Tx } from '@curtail/event-store';

/** The freezes of a partition, as JSON: a list of `Freeze`. @param partition SQL. */
export const FREEZES_OF = (partition: string) => `
  (SELECT coalesce(json_agg(json_strip_nulls(json_build_object(
                              'freeze', id, 'window', period, 'by', set_by, 'reason', reason, 'since', set_at))::jsonb
                            || jsonb_build_object('queue', nullif(queue, '')) ORDER BY id), '[]')
   FROM freezes WHERE freezes.partition = ${partition})`;

export interface NewFreeze {
  freeze: string;
  partition: string;
  /** null: the whole partition. */
  queue: string | null;
  window: FreezeWindow;
  by: string;
  reason: string | undefined;
}

/** Of one partition, so that each check of its runs stays fast. */
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
     WHERE (SELECT count(*) FROM freezes WHERE partition = $2) < $7 RETURNING id`,
    [freeze, partition, queue ?? '', JSON.stringify(window), by, reason ?? null, mostFreezes],
  );
  return added.length > 0;
}

/** Those of a partition, or of one queue, or one of them by its id. @returns those that there were. */
export async function dropFreezes(
  tx: Tx,
  {
    partition,
    queue,
    freeze,
  }: { partition: string; queue?: string | undefined; freeze?: string | undefined },
): Promise<{ freeze: string; queue: string | null }[]> {
  const [rows] = await tx.query<[{ freeze: string; queue: string | null }[], number]>(
    `DELETE FROM freezes
     WHERE partition = $1 AND ($2::text IS NULL OR queue = $2) AND ($3::text IS NULL OR id = $3)
     RETURNING id AS "freeze", nullif(queue, '') AS queue`,
    [partition, queue ?? null, freeze ?? null],
  );
  return rows.sort((a, b) => (a.freeze < b.freeze ? -1 : 1));
}
