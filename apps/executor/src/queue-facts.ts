import { CLUSTER_DRIVER, type ClusterDriver } from '@curtail/clusters';
import { isWithin, type QueueFacts } from '@curtail/enforcement';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { OpenExecution } from './open-executions.js';

/** Finds out at the end of a run what its queue uses: the plan counted on what was leaving already, and that may have stayed. */
@Injectable()
export class FindQueueFacts {
  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(CLUSTER_DRIVER) private readonly cluster: ClusterDriver,
  ) {}

  async of({ partition, queue, enforcement }: OpenExecution): Promise<QueueFacts> {
    try {
      await this.cluster.assertKnown?.(partition);
      // Before the usage: a victim whose outcome is recorded in between is then seen twice, never not at all.
      const planned: { allocation: string; uid: string | null }[] = await this.db.query(
        'SELECT allocation, uid FROM planned_victims WHERE partition = $1 AND enforcement <> $2',
        [partition, enforcement],
      );
      const [usage, ...standing] = await Promise.all([
        this.cluster.usage(partition, [queue]),
        ...planned.map(async ({ allocation, uid }) => {
          const live = await this.cluster.allocation(partition, allocation);
          return uid === null || live?.uid === uid ? live : undefined;
        }),
      ]);
      return {
        ...(usage.get(queue) ?? { usage: {}, inFlight: {} }),
        planned: standing.flatMap((live) =>
          live && (live.state ?? 'running') === 'running' && isWithin(live.queue, queue)
            ? [live.resources]
            : [],
        ),
      };
    } catch (error) {
      return { unreachable: (error as Error).message };
    }
  }
}
