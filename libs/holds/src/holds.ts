import type { DataSource } from 'typeorm';
import {
  coveringStop,
  type Frozen,
  type Mode,
  type ModeSettings,
  modeInForce,
  type Stop,
} from '#enforcement';
import type { Tx } from '#event-store';
import { PartitionMode } from './entities.js';
import type { Freeze } from './freezes/freeze.js';
import { FREEZES_OF } from './freezes/freeze-table.js';
import { freezeStops, frozenAt, frozenClock } from './freezes/in-effect.js';
import { STOPS_OF } from './stops.js';

/** The mode that was set for a partition; null: none. What counts is decided by `modeInForce`. @param partition SQL. */
export const MODE_OF = (partition: string) =>
  `(SELECT mode FROM partition_modes WHERE partition_modes.partition = ${partition})`;

/** All modes that were set, by partition. */
export function modesSet(db: DataSource): Promise<PartitionMode[]> {
  return db.getRepository(PartitionMode).find({ order: { partition: 'ASC' } });
}

export async function saveMode(tx: Tx, mode: PartitionMode): Promise<void> {
  await tx.getRepository(PartitionMode).upsert(mode, ['partition']);
}

/** Everything that is set in a partition and may hold its clocks and evictions. */
export interface Holds {
  /** The switch of the partition: the configuration in force enforces quotas. */
  enabled: boolean;
  /** That was set; null: none. */
  mode: Mode | null;
  stops: Stop[];
  freezes: Freeze[];
}

/** Of a partition without a configuration. */
export const noHolds: Holds = { enabled: false, mode: null, stops: [], freezes: [] };

/**
 * What is set in a partition, as JSON: `Holds`.
 *
 * @param partition SQL.
 * @param queues SQL of an array: of the stops only those that cover one of them. Absent: all.
 */
export const HOLDS_OF = (partition: string, queues?: string) => `
  json_build_object(
    'enabled', coalesce((SELECT quota_preemption_enabled FROM partitions WHERE partitions.partition = ${partition}), false),
    'mode', ${MODE_OF(partition)}, 'stops', ${STOPS_OF(partition, queues)}, 'freezes', ${FREEZES_OF(partition)})`;

/** SQL of a query: the partitions in which a mode or a kill switch is set. */
export const HELD_PARTITIONS =
  'SELECT partition FROM partition_modes UNION SELECT partition FROM kill_switches';

/** What is set, by partition. */
export async function holdsOf(
  db: DataSource | Tx,
  partitions: readonly string[],
): Promise<Map<string, Holds>> {
  if (partitions.length === 0) return new Map();
  const rows: { partition: string; holds: Holds }[] = await db.query(
    `SELECT asked.partition, ${HOLDS_OF('asked.partition')} AS holds FROM unnest($1::text[]) AS asked (partition)`,
    [[...new Set(partitions)]],
  );
  return new Map(rows.map(({ partition, holds }) => [partition, holds]));
}

/** What is set in one partition. */
export async function holdsIn(db: DataSource | Tx, partition: string): Promise<Holds> {
  return (await holdsOf(db, [partition])).get(partition)!;
}

/** Whether nothing is evicted in the partition, in a process with these settings. */
export const isObserved = ({ mode }: Pick<Holds, 'mode'>, settings: ModeSettings): boolean =>
  modeInForce(mode, settings).mode === 'observe';

/**
 * What holds the clock of a queue: the stop that covers it, and how it is frozen.
 *
 * @param atMs milliseconds since 1970, by the clock of the database.
 * @param dueMs of a clock that runs: how it is frozen when it is due. Absent: how the queue is frozen now.
 */
export function heldBy(
  queue: string,
  { stops, freezes }: Pick<Holds, 'stops' | 'freezes'>,
  atMs: number,
  dueMs?: number,
): { stop: Stop | undefined; frozen: Frozen | undefined } {
  const frozen =
    dueMs === undefined ? frozenAt(queue, freezes, atMs) : frozenClock(queue, freezes, dueMs, atMs);
  return { stop: coveringStop(queue, stops), frozen };
}

/**
 * Everything that stops evictions at a moment: the stops that are set, and the freezes in effect for a run that was opened at `openedMs`.
 *
 * @param openedMs undefined: it is not open yet.
 */
export function stopsAt(
  { stops, freezes }: Pick<Holds, 'stops' | 'freezes'>,
  atMs: number,
  openedMs?: number,
): Stop[] {
  return freezes.length === 0 ? stops : [...stops, ...freezeStops(freezes, atMs, openedMs)];
}
