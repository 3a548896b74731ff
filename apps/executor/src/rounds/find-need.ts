import { CLUSTER_DRIVER, type ClusterDriver, type QueueUsage, queuesInForce } from '@curtail/clusters';
import { chain, type Resources, resolveShares } from '@curtail/contracts';
import {
  type LiveNeed,
  type LivePlace,
  overBy,
  type PlannedVictim,
  type Starving,
  type VictimFacts,
} from '@curtail/enforcement';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';

const nothing: QueueUsage = { usage: {}, inFlight: {} };

/**
 * Checks, right before a victim of fair-share is asked to finish or killed, whether its reason still holds: starvation
 * as of the last round, the rest as the cluster reports it now (docs/reference/policies/fair-share.md §12).
 */
@Injectable()
export class FindNeed {
  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(CLUSTER_DRIVER) private readonly cluster: ClusterDriver,
  ) {}

  /** The facts of each of the victims with its need beside them; of a victim of another policy, as they are. */
  async addTo(
    facts: VictimFacts[],
    victims: readonly PlannedVictim[],
    partition: string,
  ): Promise<VictimFacts[]> {
    if (victims.every(({ cause }) => cause === undefined)) return facts;
    return Promise.all(
      facts.map(async (found, i): Promise<VictimFacts> => {
        const victim = victims[i]!;
        if ('unreachable' in found || victim.cause === undefined) return found;
        try {
          return { ...found, need: await this.of(victim, partition) };
        } catch (error) {
          return { rank: found.rank, unreachable: (error as Error).message };
        }
      }),
    );
  }

  private async of(victim: PlannedVictim, partition: string): Promise<LiveNeed> {
    if (victim.cause === 'overcommit') return { over: await this.overNode(victim, partition) };
    if (victim.cause === 'resource-limits') return { over: await this.overLimits(victim, partition) };
    const { preemptedFor = '' } = victim;
    const found = await this.cluster.application(partition, preemptedFor);
    if (!found) return { operation: undefined, starving: [] };
    const { application } = found;
    const starving: Starving[] = await this.db.query(
      `SELECT kind, name, starvation AS state FROM starvation_clocks
       WHERE partition = $1 AND starvation IN ('starving', 'aggressively_starving')
         AND ((kind = 'operation' AND name = $2) OR (kind = 'pool' AND name = ANY ($3::text[])))`,
      [partition, preemptedFor, chain(application.queue)],
    );
    return { operation: application, starving, ...(await this.placeOf(victim, partition)) };
  }

  private async placeOf(
    { node: id }: PlannedVictim,
    partition: string,
  ): Promise<{ node?: LivePlace | null }> {
    if (id === undefined) return {};
    const found = await this.cluster.node(partition, id);
    if (!found) return { node: null };
    const { node, usage, inFlight } = found;
    const { capacity = {}, labels = {}, schedulable = true } = node;
    return { node: { capacity, labels, schedulable, usage, inFlight } };
  }

  private async overNode({ node: id = '' }: PlannedVictim, partition: string): Promise<Resources[]> {
    const found = await this.cluster.node(partition, id);
    return found ? [overBy(found, found.node.capacity ?? {})] : [];
  }

  private async overLimits({ application: id, queue }: PlannedVictim, partition: string) {
    const path = chain(queue);
    const [found, usage, size, limits] = await Promise.all([
      this.cluster.application(partition, id),
      this.cluster.usage(partition, path),
      this.cluster.capacity(partition),
      queuesInForce(this.db, partition, queue),
    ]);
    const over = limits
      .filter((pool) => path.includes(pool.path))
      .map((pool) => {
        const { max } = resolveShares(pool, size);
        return overBy(usage.get(pool.path) ?? nothing, max ?? {}, toleranceOf(pool.properties));
      });
    const properties = found?.application.properties;
    return found
      ? [...over, overBy(found, amountsIn(properties?.resourceLimits), toleranceOf(properties))]
      : over;
  }
}

const toleranceOf = (properties: Readonly<Record<string, unknown>> | null | undefined) =>
  amountsIn(properties?.resourceLimitsOvercommitTolerance);

/** A property may hold any value; a value that is not an amount limits nothing. */
function amountsIn(property: unknown): Resources {
  if (typeof property !== 'object' || property === null) return {};
  return Object.fromEntries(
    Object.entries(property).filter((entry): entry is [string, number] => typeof entry[1] === 'number'),
  );
}
