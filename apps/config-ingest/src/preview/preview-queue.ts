import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { CLUSTER_READER, type ClusterReader, queuesInForce, unknownQueue } from '#clusters';
import { isWithin, nodeLabelsField, nodeLabelsOf } from '#contracts';
import type { QueueRunPreview, RunPreview } from '#contracts/api';
import { type ClockState, initialClockState } from '#enforcement';
import { forecastRuns, quotaValuesOf } from '#forecast';
import { findRejectedChange } from '#holds';
import type { CallingClient } from '#platform';
import { INGEST_SETTINGS, type IngestSettings } from '../settings/ingest-settings.js';
import { readConfigurationInForce } from '../submit/configuration-store.js';
import { forecastSources } from './forecast-sources.js';
import { readPartitionState } from './partition-state.js';
import { type MakePlan, PlanInThread } from './plan-in-thread.js';

/** The id of a run that no clock has set yet. */
const notSetYet = 'e-preview';
/** Pending clocks near the queue that are planned with it. */
const clocksAtMost = 50;

/** Previews the run of one queue with the configuration in force and the current allocations. Stores nothing. */
@Injectable()
export class PreviewQueue {
  constructor(
    private readonly db: DataSource,
    @Inject(CLUSTER_READER) private readonly cluster: ClusterReader,
    @Inject(INGEST_SETTINGS) private readonly settings: IngestSettings,
    private readonly plans: PlanInThread,
  ) {}

  /**
   * @throws ProblemException 404 for an unknown queue, and as `PlanInThread.preview`.
   */
  preview(partition: string, queue: string, client?: CallingClient): Promise<QueueRunPreview> {
    return this.plans.preview((plan) => this.foresee(partition, queue, plan), client);
  }

  private async foresee(partition: string, queue: string, plan: MakePlan): Promise<QueueRunPreview> {
    const { db, cluster, settings } = this;
    const queues = await queuesInForce(db, partition);
    const inForce = queues.find(({ path }) => path === queue);
    if (!inForce) throw await unknownQueue(db, partition, queue);
    const configuration = await readConfigurationInForce(db, partition);
    const present = await readPartitionState(db, partition, settings);
    const known = present.clocks.find((clock) => clock.queue === queue);
    const pending = known?.pending ?? null;
    // Others take nothing that this run could take.
    const isNear = (other: string) => other !== queue && (isWithin(other, queue) || isWithin(queue, other));
    const near = present.clocks.filter((clock) => clock.pending && isNear(clock.queue));
    const at = present.at.toISOString();
    const asked: ClockState = {
      ...(known ?? initialClockState(partition, queue)),
      values: known?.values ?? quotaValuesOf(inForce),
      pending: pending ?? { enforcement: notSetYet, generation: 1, dueAt: at, suspended: false },
    };
    // Runs that start before a pending one count: what they evict is no longer there.
    const earlier = pending ? near.slice(0, clocksAtMost) : [];
    const runs = known?.running
      ? new Map<string, RunPreview>()
      : await forecastRuns(
          await forecastSources({ db, cluster, plan }, partition, settings),
          { partition, queues, present, settings },
          [...earlier, asked],
        );
    const rejected = await findRejectedChange(db, partition, queue);
    return {
      partition,
      queue,
      at,
      enforcement: pending?.enforcement ?? null,
      running: known?.running?.enforcement ?? null,
      quotaPreemptionEnabled: configuration?.quotaPreemptionEnabled ?? false,
      delaySeconds: inForce.delayMs / 1000,
      ...nodeLabelsField(nodeLabelsOf(queues)),
      run: runs.get(queue) ?? null,
      ...(rejected && { rejected }),
    };
  }
}
