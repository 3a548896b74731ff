import { CLUSTER_DRIVER, type ClusterDriver, type QueueUsage } from '@curtail/clusters';
import { isWithin, type Resources, totalOf } from '@curtail/contracts';
import { catalog } from '@curtail/contracts/events';
import { overBy, type QueueFacts } from '@curtail/enforcement';
import { executionStream } from '@curtail/event-store';
import type { OpenExecution } from '@curtail/runs';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';

const nothing: QueueUsage = { usage: {}, inFlight: {} };

/** Finds out at the end of a run what its queue uses: the plan counted on what was leaving already, and that may have stayed. */
@Injectable()
export class FindQueueFacts {
  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(CLUSTER_DRIVER) private readonly cluster: ClusterDriver,
  ) {}

  /** @param max the limit that the run is judged by: of a queue within it, the open requests are not read. */
  async of({ partition, queue, enforcement }: OpenExecution, max: Resources): Promise<QueueFacts> {
    try {
      await this.cluster.assertKnown?.(partition);
      const used = (await this.cluster.usage(partition, [queue])).get(queue) ?? nothing;
      if (Object.keys(overBy(used, max)).length === 0) return { above: {} };
      return { above: overBy(await this.usageOfWhoStays(partition, queue, enforcement), max) };
    } catch (error) {
      return { unreachable: (error as Error).message };
    }
  }

  private async usageOfWhoStays(partition: string, queue: string, enforcement: string): Promise<QueueUsage> {
    // Before the cluster is read: who goes in between is then missing there, and not counted as one who stays.
    const planned: { allocation: string; uid: string | null }[] = await this.db.query(STILL_TO_GO, [
      partition,
      enforcement,
      executionStream(''),
      [catalog.VictimSpared.type, catalog.VictimFailed.type],
    ]);
    const toGo = new Map(planned.map(({ allocation, uid }) => [allocation, uid]));
    // One moment of all of them: asked one by one, some would be seen before and others after they went.
    const { allocations } = await this.cluster.snapshot({ partition, queue });
    const staying = allocations.filter(({ id, uid, queue: of, state = 'running' }) => {
      const goes = toGo.has(id) && [null, uid].includes(toGo.get(id)!);
      return state === 'running' && !goes && isWithin(of, queue);
    });
    return { usage: totalOf(staying), inFlight: {} };
  }
}

/** The victims of other runs that hold their lock, without those that are left alone already; $3 begins the names of the streams of runs. */
const STILL_TO_GO = `
  WITH planned AS (
    SELECT $3 || enforcement AS stream, allocation, uid FROM leaving_victims
    WHERE partition = $1 AND enforcement <> $2
  ), staying AS (
    SELECT DISTINCT stream, data ->> 'allocation' AS allocation FROM events
    WHERE stream IN (SELECT stream FROM planned) AND type = ANY ($4::text[])
  )
  SELECT allocation, uid FROM planned LEFT JOIN staying USING (stream, allocation) WHERE staying.stream IS NULL`;
