import type { DataSource } from 'typeorm';
import { clockKind } from '#contracts';
import { type ClockState, type ModeSettings, modeInForce } from '#enforcement';
import type { PresentPartition } from '#forecast';
import { AWAITS_APPROVAL, HOLDS_OF, type Holds } from '#holds';

/** $1 partition, $2 the queues that would change. */
const STATE = () => `
  SELECT date_trunc('milliseconds', clock_timestamp()) AS at,
         ${HOLDS_OF('$1')} AS holds,
         (SELECT coalesce(json_agg(state ORDER BY queue), '[]') FROM clocks s
          WHERE partition = $1
            AND (running_enforcement IS NOT NULL
                 OR EXISTS (SELECT FROM timers t
                            WHERE t.kind = '${clockKind}' AND t.partition = $1 AND t.name = s.queue)
                 OR queue = ANY ($2) AND state -> 'turns' IS NOT NULL)) AS clocks,
         (SELECT coalesce(json_agg(json_build_object(
             'queue', queue, 'enforcement', running_enforcement,
             'victims', (SELECT count(*) FROM planned_victims v WHERE v.enforcement = running_enforcement),
             'awaitsApproval', ${AWAITS_APPROVAL('running_enforcement')})), '[]')
          FROM clocks WHERE partition = $1 AND running_enforcement IS NOT NULL) AS runs`;

export async function readPartitionState(
  db: DataSource,
  partition: string,
  settings: ModeSettings,
  changed: readonly string[] = [],
): Promise<PresentPartition> {
  const rows = await db.query<(Pick<PresentPartition, 'at' | 'clocks' | 'runs'> & { holds: Holds })[]>(
    STATE(),
    [partition, changed],
  );
  const { holds, ...row } = rows[0]!;
  const { stops, freezes } = holds;
  return { ...row, stops, freezes, mode: modeInForce(holds.mode, settings).mode };
}

/** The clocks of queues at rest whose last run recorded what blocked it, by queue: by the index `clocks_blocked`, since few have. */
export async function readBlockedClocks(db: DataSource, partition: string): Promise<ClockState[]> {
  const rows = await db.query<{ state: ClockState }[]>(
    `SELECT state FROM clocks
     WHERE partition = $1 AND state #> '{lastRun,blocked}' IS NOT NULL AND running_enforcement IS NULL ORDER BY queue`,
    [partition],
  );
  return rows.map(({ state }) => state);
}
