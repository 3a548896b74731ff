import type { DataSource } from 'typeorm';
import { clockKind } from '#contracts';
import { catalog, typesOf } from '#contracts/events';
import { type Mode, type ModeSettings, modeInForce } from '#enforcement';
import { enforcementStream, operatorStream } from '#event-store';
import type { PartitionState } from '#forecast';
import { FREEZES_OF } from '#freezes';

/** $1 partition, $2 and $3 the types of EnforcementOpened and PlanApproved, $4 the queues that would change. */
const STATE = `
  SELECT date_trunc('milliseconds', clock_timestamp()) AS at,
         (SELECT mode FROM partition_modes WHERE partition = $1) AS mode,
         (SELECT coalesce(json_agg(json_strip_nulls(json_build_object('by', set_by, 'reason', reason))::jsonb
                                   || jsonb_build_object('queue', nullif(queue, ''))), '[]')
          FROM kill_switches WHERE partition = $1) AS stops,
         ${FREEZES_OF('$1')} AS freezes,
         (SELECT coalesce(json_agg(state ORDER BY queue), '[]') FROM schedules s
          WHERE partition = $1
            AND (running_enforcement IS NOT NULL
                 OR EXISTS (SELECT FROM timers t
                            WHERE t.kind = '${clockKind}' AND t.partition = $1 AND t.name = s.queue)
                 OR queue = ANY ($4) AND state -> 'turns' IS NOT NULL)) AS clocks,
         (SELECT coalesce(json_agg(json_build_object(
             'queue', queue, 'enforcement', running_enforcement,
             'victims', (SELECT count(*) FROM planned_victims v WHERE v.enforcement = running_enforcement),
             'awaitsApproval',
             EXISTS (SELECT FROM events e WHERE e.stream = '${enforcementStream('')}' || running_enforcement AND e.type = ANY ($2)
                       AND (e.data ->> 'needsApproval')::boolean)
             AND NOT EXISTS (SELECT FROM events e WHERE e.stream = '${operatorStream('')}' || running_enforcement AND e.type = $3)
           )), '[]')
          FROM schedules WHERE partition = $1 AND running_enforcement IS NOT NULL) AS runs`;

export async function readPartitionState(
  db: DataSource,
  partition: string,
  settings: ModeSettings,
  changed: readonly string[] = [],
): Promise<PartitionState> {
  const rows = await db.query<(Omit<PartitionState, 'mode'> & { mode: Mode | null })[]>(STATE, [
    partition,
    typesOf('EnforcementOpened'),
    catalog.PlanApproved.type,
    changed,
  ]);
  const row = rows[0]!;
  return { ...row, mode: modeInForce(row.mode, settings).mode };
}
