import type { DataSource } from 'typeorm';
import { chainFromRoot } from '#contracts';
import { catalog } from '#contracts/events';
import { type CalledOff, cancelledClock, type ModeSettings, type ScheduleState } from '#enforcement';
import { scheduleStream } from '#event-store';
import { HOLDS_OF, type Holds, isObserved } from '#holds';
import type { TakenClock } from './foresight-table.js';

/** The clock of a queue and what holds it, by the clock of the database. */
export interface ClockNow {
  now: Date;
  holds: Holds;
  observed: boolean;
  /** null: the queue has never had a clock. */
  state: ScheduleState | null;
  /** The queue and those above it, with the properties that hold. */
  chain: { path: string; properties: Record<string, unknown> | null }[];
}

/** $1 partition, $2 queue, $3 the paths of its chain. */
const CLOCK = () => `
  SELECT date_trunc('milliseconds', clock_timestamp()) AS now,
         ${HOLDS_OF('$1')} AS holds,
         (SELECT state FROM clocks WHERE partition = $1 AND queue = $2) AS state,
         (SELECT coalesce(json_agg(json_build_object('path', path, 'properties', coalesce(properties::jsonb, '{}') || coalesce(
                   (SELECT jsonb_object_agg('curtail.' || setting, value) FROM setting_overrides o
                    WHERE o.partition = $1 AND o.queue = path), '{}'))), '[]')
          FROM queues WHERE partition = $1 AND path = ANY ($3::text[])) AS chain`;

export async function clockNow(
  db: DataSource,
  { partition, queue }: TakenClock,
  settings: ModeSettings,
): Promise<ClockNow> {
  const [row] = await db.query<[Omit<ClockNow, 'observed'>]>(CLOCK(), [
    partition,
    queue,
    chainFromRoot(queue),
  ]);
  return { ...row, observed: isObserved(row.holds, settings) };
}

/** Why a clock has ended: undefined if its run has started, or its events are no longer in the database. */
export async function endOfClock(
  db: DataSource,
  { partition, queue }: TakenClock,
  enforcement: string,
): Promise<CalledOff | undefined> {
  const [end] = await db.query<{ type: string; cause: string | null; by: string | null }[]>(
    `SELECT type, data ->> 'cause' AS cause, data ->> 'by' AS by FROM events
     WHERE stream = $1 AND type = ANY ($2::text[]) AND data ->> 'enforcement' = $3 ORDER BY version DESC LIMIT 1`,
    [
      scheduleStream(partition, queue),
      [catalog.EnforcementStarted.type, catalog.EnforcementCancelled.type],
      enforcement,
    ],
  );
  if (end?.type !== catalog.EnforcementCancelled.type) return undefined;
  return cancelledClock(queue, end.cause ?? '', end.by ?? undefined);
}
