import type { DataSource } from 'typeorm';
import { COVERS } from '#contracts';
import type { StopList } from '#contracts/api';
import { AT, type Tx } from '#event-store';
import { KillSwitch } from './entities.js';

/**
 * A kind of hold that is in effect until its row is gone. It holds clocks that fall due and evictions of what it covers. Everything that
 * reads what holds a queue asks this registry, so a further kind is an entry here, and the owner of its rows. What holds for a window of
 * time is a freeze.
 */
export interface StopKind {
  readonly name: string;
  /**
   * SQL of a query with the columns partition, queue (empty: the whole partition), set_by, reason (or null), and said: the sentence that
   * names the hold; null for a kill switch.
   */
  readonly rows: string;
}

export const stopKinds = new Set<StopKind>([
  {
    name: 'kill-switch',
    rows: 'SELECT partition, queue, set_by, reason, NULL::text AS said FROM kill_switches',
  },
]);

/** SQL of a table with the rows of all kinds. */
const STOPS = () => `(${[...stopKinds].map(({ rows }) => rows).join(' UNION ALL ')}) AS stop`;

/**
 * The stops of a partition, as JSON: a list of `Stop`, those of queues above before those of queues below.
 *
 * @param partition SQL.
 * @param queues SQL of an array: only those that cover one of them. Absent: all.
 */
export const STOPS_OF = (partition: string, queues?: string) => `
  (SELECT coalesce(json_agg(json_strip_nulls(json_build_object('by', set_by, 'reason', reason, 'said', said))::jsonb
                            || jsonb_build_object('queue', nullif(stop.queue, '')) ORDER BY stop.queue), '[]')
   FROM ${STOPS()} WHERE stop.partition = ${partition}
   ${queues === undefined ? '' : `AND EXISTS (SELECT FROM unnest(${queues}) AS held (queue) WHERE ${COVERS('stop.queue', 'held.queue')})`})`;

/** Whether a stop covers a queue. @param partition, queue SQL. */
export const STOPPED = (partition: string, queue: string) =>
  `EXISTS (SELECT FROM ${STOPS()} WHERE stop.partition = ${partition} AND ${COVERS('stop.queue', queue)})`;

/** The kill switches of a partition as the API shows them, as JSON. @param partition SQL. */
export const SET_STOPS_OF = (partition: string) => `
  (SELECT coalesce(json_agg(json_build_object('partition', k.partition, 'queue', nullif(k.queue, ''), 'reason', k.reason,
                                              'by', k.set_by, 'since', ${AT('k.set_at')}) ORDER BY k.queue), '[]')
   FROM kill_switches k WHERE k.partition = ${partition})`;

/** The kill switches of all partitions, as the API shows them. */
export async function setStops(db: DataSource): Promise<StopList['items']> {
  const stops = await db.getRepository(KillSwitch).find({ order: { partition: 'ASC', queue: 'ASC' } });
  return stops.map(({ partition, queue, reason, setBy, setAt }) => ({
    partition,
    queue: queue || null,
    reason,
    by: setBy,
    since: setAt.toISOString(),
  }));
}

/** Sets the kill switch of a queue, or of a partition. Set again without a reason, it stays as it was. */
export async function saveStop(
  tx: Tx,
  stop: { partition: string; queue: string | undefined; by: string; reason: string | undefined },
): Promise<void> {
  await tx
    .createQueryBuilder()
    .insert()
    .into(KillSwitch)
    .values({
      partition: stop.partition,
      queue: stop.queue ?? '',
      reason: stop.reason || null,
      setBy: stop.by,
      setAt: () => 'now()',
    })
    .orUpdate(['reason', 'set_by', 'set_at'], ['partition', 'queue'], {
      overwriteCondition: { where: 'excluded.reason IS NOT NULL' },
    })
    .execute();
}

/** Clears the kill switch of a queue, or all of a partition. @returns the queues of those that there were, in order; null: the partition. */
export async function dropStops(
  tx: Tx,
  partition: string,
  queue: string | undefined,
): Promise<(string | null)[]> {
  const { raw } = await tx
    .createQueryBuilder()
    .delete()
    .from(KillSwitch)
    .where({ partition, ...(queue !== undefined && { queue }) })
    .returning('queue')
    .execute();
  return (raw as Pick<KillSwitch, 'queue'>[])
    .map((stop) => stop.queue)
    .sort()
    .map((stopped) => stopped || null);
}
