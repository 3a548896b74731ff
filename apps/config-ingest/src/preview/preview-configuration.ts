import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import {
  CLUSTER_READER,
  type ClusterReader,
  type QueueInForce,
  queuesInForce,
  settingOverrides,
  withOverrides,
} from '#clusters';
import { type PartitionPolicies, policyChanges } from '#configuration';
import { flappingOf, nodeLabelsField, nodeLabelsOf, nodeLabelsSentence, type Resources } from '#contracts';
import type { ConfigurationWarning, PendingPreview, Preview, QueuePreview, Wait } from '#contracts/api';
import {
  type ClockAfterSave,
  clocksAfterSave,
  clockUnblocked,
  coveringStop,
  mostAllocationsToUnblock,
  type QuotaChange,
  queuesToUnblock,
} from '#enforcement';
import {
  affectedBy,
  changedProperties,
  changes,
  evictedBy,
  forecastRuns,
  guaranteedChanges,
  type PresentPartition,
  withConfiguredFreezes,
} from '#forecast';
import type { CallingClient } from '#platform';
import { INGEST_SETTINGS, type IngestSettings } from '../settings/ingest-settings.js';
import { readConfigurationInForce, runningRuns } from '../submit/configuration-store.js';
import type { RunSide } from '../submit/run-ends.js';
import {
  enabledIn,
  policiesIn,
  queuesOf,
  type ReadSubmission,
  type Submission,
} from '../submit/submission.js';
import { refusalOf } from '../submit/submission-refusals.js';
import { warningsOf } from '../submit/submission-warnings.js';
import { SubmitConfiguration } from '../submit/submit-configuration.js';
import {
  byDueTime,
  clocksToPlan,
  pendingClockPreview,
  previewClock,
  removalPreview,
} from './clock-preview.js';
import { forecastSources } from './forecast-sources.js';
import { foreseeCeiling } from './foresee-ceiling.js';
import { readBlockedClocks, readPartitionState } from './partition-state.js';
import { type MakePlan, PlanInThread } from './plan-in-thread.js';
import { previewRounds } from './preview-rounds.js';

const pendingAtMost = 1000;

/** What a preview compares with the configuration in force. */
export interface Proposed {
  queues: QueueInForce[];
  enabled: boolean;
  policies: PartitionPolicies;
  /** As `ReadSubmission.clusterSize`. */
  clusterSize: Resources;
  warnings(before: RunSide): ConfigurationWarning[];
}

export const proposedBy = (result: ReadSubmission, partition: string): Proposed => ({
  queues: [...queuesOf(result, partition)],
  enabled: enabledIn(result, partition),
  policies: policiesIn(result, partition),
  clusterSize: result.clusterSize,
  warnings: (before) => warningsOf(result, partition, before),
});

/** Previews the changes of a configuration, and the victims among current allocations. Stores nothing. */
@Injectable()
export class PreviewConfiguration {
  constructor(
    private readonly db: DataSource,
    @Inject(CLUSTER_READER) private readonly cluster: ClusterReader,
    @Inject(INGEST_SETTINGS) private readonly settings: IngestSettings,
    private readonly submissions: SubmitConfiguration,
    private readonly plans: PlanInThread,
  ) {}

  /**
   * @throws ProblemException 422 with all errors of the configuration, 404 if it lacks the partition, and as
   *   `PlanInThread.preview`.
   */
  async preview(partition: string, submission: Submission, client?: CallingClient): Promise<Preview> {
    const completed = await this.submissions.withSwitchInForce(partition, submission, client);
    return this.previewRead(partition, await this.submissions.read(partition, completed, client), client);
  }

  /** As `preview`, for what is read already. */
  previewRead(partition: string, result: ReadSubmission, client?: CallingClient): Promise<Preview> {
    if (!result.valid) throw refusalOf(result);
    return this.plans.preview((plan) => this.foresee(partition, proposedBy(result, partition), plan), client);
  }

  /** As `previewRead`, with the turn that the caller has. */
  async foresee(partition: string, proposed: Proposed, plan: MakePlan): Promise<Preview> {
    const { db, cluster, settings } = this;
    const { queues, enabled, clusterSize } = proposed;
    const before = await readConfigurationInForce(db, partition);
    const queuesBefore = await queuesInForce(db, partition);
    const quotas = await this.quotaChanges(
      partition,
      changes(partition, queuesBefore, queues, clusterSize),
      queues,
    );
    const changedQueues = quotas.map(({ queue }) => queue);
    const now = await readPartitionState(db, partition, settings, changedQueues);
    const present = withConfiguredFreezes(now, partition, queues);
    const afterSave = clocksAfterSave(present.clocks, {
      partition,
      at: present.at.toISOString(),
      timerPolicy: settings.policy.timerPolicy,
      enabled,
      wasEnabled: before?.quotaPreemptionEnabled ?? null,
      changes: quotas,
    });
    const mayFollow = await this.clocksUnblocked(partition, afterSave, present, proposed);
    const { planned, notPlanned } = clocksToPlan(afterSave, quotas, mayFollow);
    const runs = enabled
      ? await forecastRuns(
          await forecastSources({ db, cluster, plan }, partition, settings),
          { partition, queues, present, settings },
          planned,
        )
      : new Map(planned.map(({ queue }) => [queue, switchedOff(queues)]));
    const clocks = new Map(afterSave);
    for (const after of mayFollow) {
      const { queue } = after.state;
      if (evictedBy({ ...runs.get(queue) }).length > 0) clocks.set(queue, after);
    }

    const { afterRun } = settings.policy;
    const changed = quotas.flatMap(({ queue, previous, current }): QueuePreview[] => {
      if (current === null) return [];
      const clock = previewClock(clocks.get(queue)!, { previous, current }, afterRun);
      return [{ queue, previous, current, clock, ...runs.get(queue) }];
    });
    const isChanged = new Set(quotas.map(({ queue }) => queue));
    const pending = [...clocks.values()]
      .filter(({ state }) => state.pending && !isChanged.has(state.queue))
      .sort(byDueTime)
      .slice(0, pendingAtMost)
      .map((after): PendingPreview => {
        const { queue, values } = after.state;
        return { queue, current: values, clock: pendingClockPreview(after), ...runs.get(queue) };
      });

    const policies = { before: before?.policies ?? {}, after: proposed.policies };
    const { mostAllocations } = settings;
    const rounds = await previewRounds(
      { db, cluster, plan, mostAllocations },
      partition,
      policies.before,
      policies.after,
      queues,
    );
    const affected = affectedBy({ changed, pending });
    const switchedOffNow = (before?.quotaPreemptionEnabled ?? false) && !enabled;
    const running = await runningRuns(db.manager, partition, switchedOffNow ? null : [...isChanged]);
    return {
      partition,
      dryRun: true,
      running,
      at: present.at.toISOString(),
      quotaPreemptionEnabled: enabled,
      ...nodeLabelsField(nodeLabelsOf(queues)),
      previousQuotaPreemptionEnabled: before?.quotaPreemptionEnabled ?? null,
      policyChanges: policyChanges(policies.before, policies.after),
      changed,
      pending,
      removed: quotas.flatMap(({ queue, previous, current }) =>
        current === null ? [{ queue, previous, clock: removalPreview(clocks.get(queue)) }] : [],
      ),
      guaranteedChanged: guaranteedChanges(queuesBefore, queues, clusterSize),
      propertiesChanged: changedProperties(queuesBefore, queues),
      notPlanned: enabled ? notPlanned : 0,
      rounds,
      victims: new Set([
        ...affected.flatMap(evictedBy).map(({ allocation }) => allocation),
        ...rounds.flatMap(({ more }) => more),
      ]).size,
      ceiling: await foreseeCeiling(
        { db, cluster },
        { partition, at: present.at.toISOString(), queues, affected, settings },
      ),
      warnings: proposed.warnings({
        enabled: before?.quotaPreemptionEnabled ?? false,
        queues: queuesBefore,
      }),
    };
  }

  /**
   * The clocks that follow without a change of the quota if their plans have victims, because the configuration, or the cluster, no longer
   * has what blocked the last runs of the queues: those that the reconciler sets (docs/reference/policies/quota-decrease.md §3.12).
   */
  private async clocksUnblocked(
    partition: string,
    clocks: ReadonlyMap<string, ClockAfterSave>,
    { at, mode, stops }: PresentPartition,
    { enabled, clusterSize }: Proposed,
  ): Promise<ClockAfterSave[]> {
    if (!enabled || !this.settings.policy.retryUnblocked) return [];
    const stopOf = (queue: string) => coveringStop(queue, stops);
    const blocked = await readBlockedClocks(this.db, partition);
    const resting = queuesToUnblock(clocks, blocked, (queue) => stopOf(queue) !== undefined);
    if (resting.length === 0) return [];
    const usage = await this.cluster.usage(
      partition,
      resting.map(({ state }) => state.queue),
    );
    const unblocked = resting.flatMap((after) => {
      const { queue } = after.state;
      const used = usage.get(queue) ?? { usage: {}, inFlight: {} };
      const facts = { at: at.toISOString(), observed: mode === 'observe', enabled, clusterSize };
      return clockUnblocked(after, { ...facts, ...used, stop: stopOf(queue) }) ?? [];
    });
    const held = await this.cluster.held(
      partition,
      unblocked.map(({ state }) => state.queue),
    );
    return unblocked.filter(({ state }) => (held.get(state.queue) ?? 0) <= mostAllocationsToUnblock);
  }

  private async quotaChanges(
    partition: string,
    events: ReturnType<typeof changes>,
    queues: QueueInForce[],
  ): Promise<QuotaChange[]> {
    const overrides = await settingOverrides(this.db, partition);
    const flapping = flappingOf(withOverrides(queues, overrides));
    const quotas = events.flatMap((event): Omit<QuotaChange, 'usage'>[] => {
      if (event.name === 'QueueRemoved') return [{ ...event.data, current: null }];
      return event.name === 'QuotaChanged' ? [event.data] : [];
    });
    const usage =
      this.settings.policy.timerPolicy === 'shift'
        ? await this.cluster.usage(
            partition,
            quotas.map(({ queue }) => queue),
          )
        : undefined;
    return quotas.map(({ queue, previous, current }) => {
      return {
        queue,
        previous,
        current,
        flapping: flapping(queue),
        usage: usage?.get(queue)?.usage ?? {},
      };
    });
  }
}

function switchedOff(queues: QueueInForce[]) {
  const labels = nodeLabelsOf(queues);
  const because =
    labels.length > 0 ? nodeLabelsSentence(labels) : 'Enforcement of quotas would be off in the partition.';
  return {
    dueAt: null,
    startsAt: null,
    waitsFor: [{ for: 'switch', because }] satisfies Wait[],
    held: [],
  };
}
