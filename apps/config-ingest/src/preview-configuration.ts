import {
  CLUSTER_READER,
  type ClusterReader,
  queuesInForce,
  takePlanningSnapshot,
  withLeaving,
} from '@curtail/clusters';
import {
  type ClockEffect,
  type ConfigurationWarning,
  InputError,
  type Plan,
  type PolicyChange,
  policyChanges,
  type QuotaValues,
} from '@curtail/contracts';
import { plan, readSnapshot } from '@curtail/planning';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { changedProperties } from './changed-properties.js';
import { changes, clockOf } from './changes.js';
import { configurationInForce } from './configuration-store.js';
import { INGEST_SETTINGS, type IngestSettings } from './ingest-settings.js';
import { previewRounds, type RoundPreview } from './preview-rounds.js';
import {
  enabledIn,
  policiesIn,
  queuesOf,
  refused,
  type Submission,
  SubmitConfiguration,
  warningsOf,
} from './submit-configuration.js';

export interface QueuePreview {
  queue: string;
  previous: QuotaValues;
  current: QuotaValues;
  clock: { effect: ClockEffect; because: string };
  /** What would be planned if the delay were over now; absent where no clock would run. */
  plan?: Plan;
  /** Why there is no plan although a clock would run: the run would fail with this. */
  planFault?: string;
}

export interface Preview {
  partition: string;
  dryRun: true;
  quotaPreemptionEnabled: boolean;
  /** The switch in force; null before the first configuration. */
  previousQuotaPreemptionEnabled: boolean | null;
  policyChanges: PolicyChange[];
  changed: QueuePreview[];
  /** Queues that leave: they count as without max. */
  removed: { queue: string; previous: QuotaValues }[];
  /** Queues of which policies would be told something else. */
  propertiesChanged: string[];
  /** Changed queues beyond these are counted, not planned. */
  notPlanned: number;
  /** Of policies with rounds: what the next one would come to, where it would choose more than now. */
  rounds: RoundPreview[];
  victims: number;
  warnings: ConfigurationWarning[];
}

/** Plans that one preview makes at the most. */
const plansAtMost = 100;

/** What a configuration would change, and the victims it would lead to by the work that runs now. Keeps nothing. */
@Injectable()
export class PreviewConfiguration {
  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(CLUSTER_READER) private readonly cluster: ClusterReader,
    @Inject(INGEST_SETTINGS) private readonly settings: IngestSettings,
    @Inject(SubmitConfiguration) private readonly submissions: SubmitConfiguration,
  ) {}

  async preview(partition: string, submission: Submission): Promise<Preview> {
    const result = await this.submissions.read(partition, submission);
    if (!result.valid) throw refused(result.errors);
    const queues = queuesOf(result, partition);
    const enabled = enabledIn(result, partition);
    const before = await configurationInForce(this.db, partition);
    const changed: QueuePreview[] = [];
    const removed: Preview['removed'] = [];
    let notPlanned = 0;
    const going = new Set<string>();
    const queuesBefore = await queuesInForce(this.db, partition);
    for (const event of changes(partition, queuesBefore, queues, result.clusterSize)) {
      if (event.name === 'QueueRemoved') {
        removed.push({ queue: event.data.queue, previous: event.data.previous });
      }
      if (event.name !== 'QuotaChanged') continue;
      const { queue, previous, current } = event.data;
      const preview: QueuePreview = {
        queue,
        previous,
        current,
        clock: clockOf(previous, current),
      };
      if (enabled && preview.clock.effect === 'starts or restarts') {
        if (going.size < plansAtMost) going.add(queue);
        else notPlanned++;
      }
      changed.push(preview);
    }
    // Deeper first, as the clocks would fire: a parent counts what its leaves give.
    const victims = new Set<string>();
    for (const preview of changed.filter(({ queue }) => going.has(queue)).sort(byDepth)) {
      try {
        preview.plan = await this.planFor(partition, preview.queue, queues, victims);
      } catch (error) {
        // The cluster and the configuration contradict each other, in this queue; it is no fault of the request.
        if (!(error instanceof InputError)) throw error;
        preview.planFault = `${error.path}: ${error.message}`;
      }
      for (const victim of preview.plan?.victims ?? []) victims.add(victim.allocation);
    }
    const { db, cluster } = this;
    const policies = { before: before?.policies ?? {}, after: policiesIn(result, partition) };
    const rounds = await previewRounds({ db, cluster }, partition, policies.before, policies.after, queues);
    for (const { more } of rounds) for (const allocation of more) victims.add(allocation);
    return {
      partition,
      dryRun: true,
      quotaPreemptionEnabled: enabled,
      previousQuotaPreemptionEnabled: before?.quotaPreemptionEnabled ?? null,
      policyChanges: policyChanges(policies.before, policies.after),
      changed,
      removed,
      propertiesChanged: changedProperties(queuesBefore, queues),
      notPlanned,
      rounds,
      victims: victims.size,
      warnings: warningsOf(result, partition, {
        enabled: before?.quotaPreemptionEnabled ?? false,
        queues: queuesBefore,
      }),
    };
  }

  private async planFor(
    partition: string,
    queue: string,
    queues: ReturnType<typeof queuesOf>,
    alsoLeaving: ReadonlySet<string>,
  ): Promise<Plan> {
    const snapshot = await takePlanningSnapshot(this.db, this.cluster, {
      partition,
      queue,
      queues,
      nodeAware: this.settings.policy.nodeAware,
    });
    return plan(
      readSnapshot(withLeaving(snapshot, alsoLeaving)),
      { policy: 'quota-decrease', queue },
      { ...this.settings.policy, quotaPreemptionEnabled: true },
    );
  }
}

function byDepth(a: QueuePreview, b: QueuePreview): number {
  return b.queue.split('.').length - a.queue.split('.').length || (a.queue < b.queue ? -1 : 1);
}
