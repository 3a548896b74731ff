import type { DataSource } from 'typeorm';
import {
  type ClusterReader,
  InventoryUnknown,
  ProposedQueues,
  settingOverrides,
  takePlanningSnapshot,
} from '#clusters';
import type { AskedSnapshot, ForecastSources } from '#forecast';
import type { IngestSettings } from '../settings/ingest-settings.js';
import type { MakePlan } from './plan-in-thread.js';

interface Live {
  db: DataSource;
  cluster: ClusterReader;
  plan: MakePlan;
}

/** The current allocations of a partition, as the runs of a forecast would read them. */
export async function forecastSources(
  { db, cluster, plan }: Live,
  partition: string,
  { policy, mostAllocations }: Pick<IngestSettings, 'policy' | 'mostAllocations'>,
): Promise<ForecastSources> {
  /** Why the cluster is unknown: waits once, not for each clock. */
  let unknown: InventoryUnknown | undefined;
  /** All plans of a forecast share the queues. */
  let shared: { of: AskedSnapshot['queues']; queues: ProposedQueues } | undefined;
  const take = async ({ queue, queues, fired, enforcing }: AskedSnapshot) => {
    if (unknown) throw unknown;
    if (shared?.of !== queues) shared = { of: queues, queues: new ProposedQueues(queues) };
    try {
      return await takePlanningSnapshot(db, cluster, {
        partition,
        queue,
        fired,
        enforcing,
        mostAllocations,
        queues: shared.queues,
        nodeAware: policy.nodeAware,
        ownerBudgets: policy.ownerBudgets,
      });
    } catch (error) {
      if (error instanceof InventoryUnknown) unknown = error;
      throw error;
    }
  };
  return { overrides: await settingOverrides(db, partition), take, plan };
}
