import type { DataSource } from 'typeorm';
import type { ClusterSnapshot } from '#contracts';
import type { ClusterReader } from '../driver.js';
import { composeSnapshot, PLANNED_VICTIMS, type PlannedVictim } from './compose.js';
import { type QueueInForce, queuesInForce } from './queues-in-force.js';
import { SETTING_OVERRIDES, type SettingOverrides, withOverrides } from './setting-overrides.js';

interface PartitionState {
  running: string[];
  planned: PlannedVictim[];
  overrides: SettingOverrides;
}

export interface RoundScope {
  partition: string;
  /** For a preview: the queues to plan with instead of those in force. */
  queues?: QueueInForce[] | undefined;
  /** The maximum number of allocations to read. */
  mostAllocations: number;
}

/**
 * Takes the snapshot of a whole partition that a round is planned on. Policies add what they have recorded themselves.
 *
 * @throws TooManyAllocations
 */
export async function takeRoundSnapshot(
  db: DataSource,
  reader: ClusterReader,
  { partition, queues, mostAllocations }: RoundScope,
): Promise<ClusterSnapshot> {
  // Read before the cluster: a victim whose outcome is recorded in between is then seen twice, and never missed.
  const [state] = await db.query<PartitionState[]>(
    `SELECT ARRAY(SELECT queue FROM clocks WHERE partition = $1 AND running_enforcement IS NOT NULL) AS running,
            ${PLANNED_VICTIMS} AS planned,
            (${SETTING_OVERRIDES}) AS overrides`,
    [partition],
  );
  const cluster = await reader.snapshot({ partition, most: mostAllocations });
  return composeSnapshot(cluster, {
    queues: withOverrides(queues ?? (await queuesInForce(db, partition)), state?.overrides ?? {}),
    enforcing: new Set(state?.running),
    preempting: state?.planned ?? [],
  });
}
