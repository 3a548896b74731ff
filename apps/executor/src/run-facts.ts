import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { CLUSTER_DRIVER, type ClusterDriver, type QueueUsage } from '#clusters';
import { isWithin, type Resources, totalOfAllocations } from '#contracts';
import { isRound, overBy, type QueueFacts, type Step, type VictimFacts } from '#enforcement';
import { leavingByOthers, type OpenRun } from '#runs';
import { type CareReads, FindCareFacts } from './care-facts.js';
import { RoundSteps } from './rounds/round-steps.js';
import type { StatusOfControl } from './run-control.js';
import type { RunLog } from './runs/run-log.js';
import { FindVictimFacts } from './victim-facts.js';

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
    return { usage: totalOfAllocations(staying), inFlight: {} };
  }
}

/** Gathers the facts that decide the steps of a run: about victims right before they are killed, and about its queue at its end. */
@Injectable()
export class RunFacts {
  constructor(
    private readonly victims: FindVictimFacts,
    private readonly care: FindCareFacts,
    private readonly queue: FindQueueFacts,
    private readonly rounds: RoundSteps,
  ) {}

  async ofVictims(
    held: OpenRun,
    run: RunLog,
    step: Extract<Step, { kind: 'check' }>,
    status: StatusOfControl,
  ): Promise<VictimFacts[]> {
    const { state } = run;
    let care: CareReads;
    // In one write with the reads of the cluster, and after the reports that those wait for.
    const found = await this.victims.of(held, step, status, isRound(state), async () => {
      care = await this.care.read(state, step.victims);
    });
    const withOwn = await this.rounds.withOwnFacts(run, step.victims, found);
    return this.care.with(state, step, withOwn, care);
  }

  /** @param max the limit that the run is judged by. */
  ofQueue(held: OpenRun, max: Resources): Promise<QueueFacts> {
    return this.queue.of(held, max);
  }

  /** Why the cluster is unknown, a clause without a full stop; undefined: it is known. */
  whyUnknown(partition: string): Promise<string | undefined> {
    return this.victims.whyUnknown(partition);
  }
}
