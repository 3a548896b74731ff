import type { DataSource } from 'typeorm';
import { chainFromRoot } from '#contracts';
import type { SettingView } from '#contracts/api';
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
