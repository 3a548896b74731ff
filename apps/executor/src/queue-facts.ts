import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { CLUSTER_DRIVER, type ClusterDriver, type QueueUsage } from '#clusters';
import { isWithin, type Resources, totalOf } from '#contracts';
import { overBy, type QueueFacts } from '#enforcement';
import { leavingByOthers, type OpenRun } from '#runs';

const nothing: QueueUsage = { usage: {}, inFlight: {} };

/**
 * Reads the usage of the queue at the end of its run: the plan counted on allocations that were leaving already, and
 * those may have stayed.
 */
@Injectable()
export class FindQueueFacts {
  constructor(
    private readonly db: DataSource,
    @Inject(CLUSTER_DRIVER) private readonly cluster: ClusterDriver,
  ) {}

  /** @param max the limit that the run is judged by: if the queue is within it, the open requests are not read. */
  async of({ partition, queue, enforcement }: OpenRun, max: Resources): Promise<QueueFacts> {
    try {
      await this.cluster.assertKnown?.(partition);
      const used = (await this.cluster.usage(partition, [queue])).get(queue) ?? nothing;
      if (Object.keys(overBy(used, max)).length === 0) return { above: {} };
      return { above: overBy(await this.usageOfStaying(partition, queue, enforcement), max) };
    } catch (error) {
      return { unreachable: (error as Error).message };
    }
  }

  private async usageOfStaying(partition: string, queue: string, enforcement: string): Promise<QueueUsage> {
    // Read before the cluster: an allocation that leaves in between is then missing in the cluster, and not counted as
    // staying.
    const toGo = await leavingByOthers(this.db, { partition, enforcement });
    // One snapshot of all of them: if they were read one by one, some would be seen before and others after they left.
    const { allocations } = await this.cluster.snapshot({ partition, queue });
    const staying = allocations.filter(({ id, uid, queue: of, state = 'running' }) => {
      const goes = toGo.has(id) && [null, uid].includes(toGo.get(id)!);
      return state === 'running' && !goes && isWithin(of, queue);
    });
    return { usage: totalOf(staying), inFlight: {} };
  }
}
