import { Inject, Injectable } from '@nestjs/common';
import type { DataSource } from 'typeorm';
import { CLUSTER_READER, type ClusterReader, unknownQueue } from '#clusters';
import {
  nodeLabelsRemedy,
  nodeLabelsSentence,
  partitionOptionText,
  placeOptions,
  type Resources,
} from '#contracts';
import { stoppedBy } from '#enforcement';
import { findRejectedChange, heldBy, type RejectedChange } from '#holds';
import { ProblemException } from '#platform';
import { OPERATOR_DATABASE } from '#runtime';
import { recordCommand } from '../commands/record-command.js';
import { aboveQuota } from '../queries/queues.js';
import { type QueueOfCommand, queueToRun } from './statements.js';

export interface RunRequest {
  partition: string;
  queue: string;
  /** Without the delay of the queue. */
  atOnce: boolean;
  by: string;
  reason?: string | undefined;
  /** Only the checks: nothing is recorded. */
  dryRun?: boolean;
}

/**
 * Requests a run of a queue that is above its quota (docs/reference/policies/quota-decrease.md §3.9). The timer decides; a
 * request that could have no effect is refused here with the reason.
 */
@Injectable()
export class RequestRun {
  constructor(
    @Inject(OPERATOR_DATABASE) private readonly db: DataSource,
    @Inject(CLUSTER_READER) private readonly cluster: ClusterReader,
  ) {}

  /** @returns the usage above the quota, and whether the run will be rejected. @throws ProblemException 404, or 409 with the reason why no run can follow. */
  async request({
    partition,
    queue,
    atOnce,
    by,
    reason,
    dryRun = false,
  }: RunRequest): Promise<{ above: Resources; rejected?: RejectedChange }> {
    const row = await this.read(partition, queue);
    if (!row) throw await unknownQueue(this.db, partition, queue);
    assertRunMayFollow({ partition, queue, atOnce }, row);
    const above = await this.above(partition, queue, row);
    if (Object.keys(above).length === 0) {
      throw refused(
        'within-quota',
        queue,
        'It is within its quota.',
        `See its usage: curtail get queues ${queue}${partitionOptionText(partition)}`,
      );
    }
    if (!dryRun) {
      await recordCommand(
        this.db,
        { partition, stream: `requests-${partition}/${queue}`, key: queue },
        async () => ({
          event: {
            name: 'EnforcementRequested',
            data: { partition, queue, atOnce, by, ...(reason ? { reason } : {}) },
          },
          answer: undefined,
        }),
      );
    }
    const rejected = await findRejectedChange(this.db, partition, queue);
    return { above, ...(rejected && { rejected }) };
  }

  private async read(partition: string, queue: string): Promise<QueueOfCommand | undefined> {
    const rows = await queueToRun(this.db, partition, queue);
    return rows[0];
  }

  private async above(partition: string, queue: string, row: QueueOfCommand): Promise<Resources> {
    const size = row.clusterShare ? await this.cluster.capacity(partition) : {};
    return aboveQuota(row, size, (await this.cluster.usage(partition, [queue])).get(queue));
  }
}

/** @throws ProblemException 409 with the reason why no run can follow, however much the queue uses. */
function assertRunMayFollow(
  { partition, queue, atOnce }: Pick<RunRequest, 'partition' | 'queue' | 'atOnce'>,
  row: QueueOfCommand,
): void {
  const { stop, frozen } = heldBy(queue, row.holds, row.now.getTime());
  if (stop)
    throw refused(
      'stopped',
      queue,
      stoppedBy(stop),
      stop.said === undefined
        ? `Resume evictions first: curtail resume${placeOptions(partition, stop.queue)}`
        : 'Request it when that no longer holds the queue.',
    );
  if (frozen)
    throw refused(
      'frozen',
      queue,
      stoppedBy(frozen.freeze),
      `Request it afterwards, or clear the freeze: curtail get freezes${partitionOptionText(partition)}`,
    );
  if (row.nodeLabels && row.nodeLabels.length > 0) {
    throw refused(
      'node-labels',
      queue,
      nodeLabelsSentence(row.nodeLabels),
      `${nodeLabelsRemedy[0]!.toUpperCase()}${nodeLabelsRemedy.slice(1)}.`,
    );
  }
  if (!row.holds.enabled) {
    throw refused(
      'switched-off',
      queue,
      'Quota preemption is off in the configuration of the partition.',
      'Set quotapreemptionenabled, and apply the configuration.',
    );
  }
  if (Number(row.delayMs) === 0) {
    throw refused(
      'no-delay',
      queue,
      'Its delay is 0: its quota is not enforced.',
      'Set quota.preemption.delay, and apply the configuration.',
    );
  }
  const { running, pending } = row.state ?? {};
  if (running) {
    throw refused(
      'running',
      queue,
      `Run ${running.enforcement} is in progress.`,
      `Watch it: curtail get enforcements ${running.enforcement} --watch`,
    );
  }
  if (pending && !atOnce) {
    throw refused(
      'clock-runs',
      queue,
      `Its clock runs: ${pending.enforcement} is due at ${pending.dueAt}.`,
      `To start it at once: curtail enforce ${queue}${partitionOptionText(partition)} --now`,
    );
  }
}

function refused(code: string, queue: string, why: string, remedy: string): ProblemException {
  return new ProblemException({
    code,
    title: 'No run can follow',
    status: 409,
    detail: `A run of ${queue} cannot be requested. ${why}`,
    remedy,
  });
}
