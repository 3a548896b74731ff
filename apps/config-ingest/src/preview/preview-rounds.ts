import type { DataSource } from 'typeorm';
import { type ClusterReader, type QueueInForce } from '#clusters';
import { type PartitionPolicies, type PolicySettings } from '#configuration';
import { InputError } from '#contracts';
import type { RoundPreview } from '#contracts/api';
import { type RoundPolicy, roundPolicies } from '#rounds';
import type { MakePlan } from './plan-in-thread.js';

/**
 * Plans the rounds that a configuration requests, from the current allocations. Rounds without a change are left out.
 *
 * @param inForce and `wanted`: the policies now, and those of the configuration with its queues.
 */
export async function previewRounds(
  {
    db,
    cluster,
    plan: makePlan,
    mostAllocations,
  }: { db: DataSource; cluster: ClusterReader; plan: MakePlan; mostAllocations: number },
  partition: string,
  inForce: PartitionPolicies,
  wanted: PartitionPolicies,
  queues: QueueInForce[],
): Promise<RoundPreview[]> {
  const planned = async (policy: RoundPolicy, settings: PolicySettings | undefined, of?: QueueInForce[]) => {
    if (settings === undefined) return undefined;
    const snapshot = await policy.takeSnapshot(db, cluster, { partition, queues: of, mostAllocations });
    return makePlan({ snapshot, trigger: { policy: policy.name }, settings });
  };
  const previews: RoundPreview[] = [];
  for (const policy of roundPolicies) {
    const { name } = policy;
    try {
      const plan = await planned(policy, wanted[name], queues);
      if (!plan || plan.victims.length === 0) continue;
      const before = await planned(policy, inForce[name]).catch(unplannable);
      const known = new Set(before?.victims.map(({ allocation }) => allocation));
      const more = plan.victims.flatMap(({ allocation }) => (known.has(allocation) ? [] : [allocation]));
      if (more.length > 0) previews.push({ policy: name, plan, more });
    } catch (error) {
      // The cluster and the configuration contradict each other; the request itself is valid.
      if (!(error instanceof InputError)) throw error;
      previews.push({ policy: name, more: [], planFault: error.sentence });
    }
  }
  return previews;
}

/** The settings in force choose no victim now. */
function unplannable(error: unknown): undefined {
  if (!(error instanceof InputError)) throw error;
}
