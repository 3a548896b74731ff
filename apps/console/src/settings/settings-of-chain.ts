import type { DataSource } from 'typeorm';
import { chainFromRoot } from '#contracts';
import type { SettingOverrideView, SettingView } from '#contracts/api';
import type { Tx } from '#event-store';
import { effectiveSettings, type InstallationSettings, type QueueOfChain } from './effective-settings.js';

/** The configured queues from root to a queue, with what operators have set. The last one is not the queue if it is not configured. */
export function readChain(db: DataSource | Tx, partition: string, queue: string): Promise<QueueOfChain[]> {
  return db.query<QueueOfChain[]>(CHAIN, [partition, chainFromRoot(queue)]);
}

/** The settings in force for a queue, which the configuration need not have. */
export async function settingsOfChain(
  db: DataSource | Tx,
  partition: string,
  queue: string,
  installation: InstallationSettings,
): Promise<SettingView[]> {
  return effectiveSettings(await readChain(db, partition, queue), installation);
}

/** The root of each partition, with what operators have set for it. */
export function readRoots(db: DataSource): Promise<(QueueOfChain & { partition: string })[]> {
  return db.query<(QueueOfChain & { partition: string })[]>(
    `${QUEUES} WHERE path = 'root' ORDER BY partition`,
  );
}

const QUEUES = `
  SELECT partition, path, properties,
         (SELECT coalesce(json_agg(json_build_object('setting', setting, 'value', value, 'by', set_by, 'reason', reason,
            'at', to_char(set_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))), '[]')
          FROM setting_overrides o WHERE o.partition = q.partition AND o.queue = q.path) AS overrides
  FROM queues q`;

/** $1 partition, $2 paths. From root to the queue. */
const CHAIN = `${QUEUES} WHERE partition = $1 AND path = ANY ($2::text[]) ORDER BY length(path)`;

/** The overrides of a partition, and whether the configuration in force has their queues. */
export const shownOverrides = (db: DataSource | Tx, partition: string) =>
  db.query<(Omit<SettingOverrideView, 'at' | 'reason'> & { at: Date; reason: string | null })[]>(
    `SELECT queue, setting, value, set_by AS by, reason, set_at AS at,
              EXISTS (SELECT FROM queues q WHERE q.partition = o.partition AND q.path = o.queue) AS configured
       FROM setting_overrides o WHERE partition = $1 ORDER BY queue, setting`,
    [partition],
  );

/** The latest changes of settings after a version. */
export const latestChanges = (tx: Tx, stream: string, after: number, limit: number) =>
  tx.query<{ data: Record<string, unknown> }[]>(
    'SELECT data FROM events WHERE stream = $1 AND version > $2 ORDER BY version DESC LIMIT $3',
    [stream, after, limit],
  );
