import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { CLUSTER_READER, type ClusterReader, policiesInForce, queuesInForce } from '#clusters';
import {
  type ConfigurationOptions,
  type ConfigurationResult,
  clockEffect,
  policyChanges,
} from '#configuration';
import { type DomainEvent, didYouMean, nodeLabelsField, nodeLabelsOf } from '#contracts';
import type { Applied, ChangedQueue, ConfigurationError } from '#contracts/api';
import { appendNext, configStream, databaseTime, type Tx } from '#event-store';
import { changedGuaranteed, changedProperties, unlimited } from '#forecast';
import { type CallingClient, ProblemException } from '#platform';
import { ReadInThread } from '../reading/read-in-thread.js';
import { INGEST_SETTINGS, type IngestSettings } from '../settings/ingest-settings.js';
import { configurationInForce, lockConfiguration, runningRuns } from './configuration-store.js';
import { type DecidedConfiguration, decideConfiguration } from './decide-configuration.js';
import { assertVersion, VersionConflict } from './expected-version.js';
import { assertOthersStay } from './other-queues.js';
import { queueOf, recordConfiguration } from './record-configuration.js';
import { assertMayRemove, QueuesWouldBeRemoved, removalRefused } from './removed-queues.js';
import { similarPartitionWarnings } from './similar-names.js';
import {
  bodyOf,
  digestOf,
  enabledIn,
  inputOf,
  isNamed,
  type ReadSubmission,
  type Sender,
  type Submission,
  withSwitch,
} from './submission.js';
import { conflict, type RefusedConfiguration, refused } from './submission-refusals.js';
import { sizeWarnings } from './submission-warnings.js';

/**
 * Receives a complete configuration for one partition. In one transaction: the configuration in force, `ConfigApplied`, and one
 * event for each queue whose quota changed. One with errors is refused and recorded, and the configuration in force stays.
 */
@Injectable()
export class SubmitConfiguration {
  constructor(
    private readonly db: DataSource,
    @Inject(CLUSTER_READER) private readonly cluster: ClusterReader,
    @Inject(INGEST_SETTINGS) private readonly settings: Pick<IngestSettings, 'policy'>,
    private readonly reader: ReadInThread,
  ) {}

  /**
   * @throws ProblemException 422 with all errors of the configuration, 404 if it lacks the partition, 412 if another version is in force,
   *   409 if it would remove queues that it has to keep (`sender.removes`).
   */
  async submit(
    partition: string,
    submission: Submission,
    sender: Sender = {},
    client?: CallingClient,
  ): Promise<Applied> {
    const completed = await this.withSwitchInForce(partition, submission, client);
    const result = await this.read(partition, completed, client);
    if (!result.valid) return this.refuseNow(partition, submission, result);
    try {
      return await this.db.transaction((tx) => this.apply(tx, partition, submission, result, sender));
    } catch (error) {
      if (error instanceof QueuesWouldBeRemoved) throw await removalRefused(this.cluster, partition, error);
      throw error instanceof VersionConflict ? conflict(partition, error) : error;
    }
  }

  /**
   * An agent switches enforcement on for the configuration of its cluster, whatever the file says, since the file's switch is that of the
   * scheduler. Another configuration for such a partition keeps that switch: its own would end all clocks of the cluster.
   *
   * @throws as `read`
   */
  async withSwitchInForce(
    partition: string,
    submission: Submission,
    client?: CallingClient,
  ): Promise<Submission> {
    if (submission.quotaPreemptionEnabled !== undefined) return submission;
    const inForce = await configurationInForce(this.db, partition);
    if (!inForce?.quotaPreemptionEnabled || !inForce.cluster) return submission;
    const { body: text, format } = inForce;
    const own = await this.read(partition, { text, format, allowUnknown: true }, client);
    const isOverridden = own.valid && !enabledIn(own, partition);
    return isOverridden ? { ...submission, quotaPreemptionEnabled: true } : submission;
  }

  /** Records a refused submission. @throws ProblemException 422 */
  async refuseNow(partition: string, submission: Submission, result: RefusedConfiguration): Promise<never> {
    await this.db.transaction((tx) => this.refuse(tx, partition, submission, result.errors));
    throw refused(result);
  }

  /** Puts a valid configuration in force. @throws VersionConflict or QueuesWouldBeRemoved before anything is written. */
  async apply(
    tx: Tx,
    partition: string,
    submission: Submission,
    result: ReadSubmission,
    sender: Sender = {},
  ): Promise<Applied> {
    const { ifVersion, removes = 'all', onlyQueue } = sender;
    await lockConfiguration(tx, partition);
    const at = await databaseTime(tx);
    const inForce = await configurationInForce(tx, partition);
    const version = inForce?.version ?? 0;
    await assertVersion(tx, partition, version, ifVersion);
    const before = { configuration: inForce, queues: await queuesInForce(tx, partition) };
    const decided = decideConfiguration(partition, before, submission, result, sender);
    const { queues } = decided.after;
    if (onlyQueue !== undefined) assertOthersStay(onlyQueue, before.queues, queues);
    if (removes !== 'all') {
      const held = (of: string[]) => this.cluster.held(partition, of, tx);
      await assertMayRemove(removes, { before: before.queues, after: queues, version }, held);
    }
    // The partition stays that of its cluster when an operator configures it; a platform says for which it speaks.
    const kept = sender.via === 'kafka' ? undefined : (inForce?.cluster ?? undefined);
    const cluster = sender.cluster ?? kept;
    const recording = await recordConfiguration(tx, partition, decided, { ...sender, cluster }, at);
    // The answer for ten thousand queues takes a while, in which the server writes.
    const [answer] = await Promise.all([
      this.answer(tx, partition, decided, { version: recording.version, at }),
      recording.written,
    ]);
    return answer;
  }

  private async answer(
    tx: Tx,
    partition: string,
    { before: { configuration, queues }, after, followed, warnings }: DecidedConfiguration,
    { version, at }: { version: number; at: Date },
  ): Promise<Applied> {
    const wasEnabled = configuration?.quotaPreemptionEnabled ?? null;
    const isSwitchedOff = wasEnabled === true && !after.quotaPreemptionEnabled;
    return {
      partition,
      digest: after.digest,
      version,
      quotaPreemptionEnabled: after.quotaPreemptionEnabled,
      ...nodeLabelsField(nodeLabelsOf(after.queues)),
      previousQuotaPreemptionEnabled: wasEnabled,
      policyChanges: policyChanges(configuration?.policies ?? {}, after.policies),
      appliedAt: at.toISOString(),
      queues: after.queues.length,
      changed: followed.flatMap(changedQueue),
      guaranteedChanged: changedGuaranteed(queues, after.queues, after.clusterSize),
      propertiesChanged: changedProperties(queues, after.queues),
      running: await runningRuns(tx, partition, isSwitchedOff ? null : followed.map(queueOf)),
      warnings,
    };
  }

  /** Records that a submission was refused; the configuration in force stays. `id` is the sender's own. */
  async refuse(
    tx: Tx,
    partition: string,
    submission: Submission,
    errors: ConfigurationError[],
    id?: string,
  ): Promise<void> {
    await lockConfiguration(tx, partition);
    const event: DomainEvent = {
      name: 'ConfigRefused',
      data: {
        partition,
        digest: digestOf(bodyOf(submission)),
        errors: errors.slice(0, 100),
        ...(id === undefined ? {} : { submission: id }),
      },
    };
    await appendNext(tx, { stream: configStream(partition), partition, events: [{ event, key: partition }] });
  }

  /**
   * Reads a configuration and finds the partition in it.
   *
   * @throws ProblemException 404 if it is valid but lacks the partition, and as `ReadInThread`.
   */
  async read(partition: string, submission: Submission, client?: CallingClient): Promise<ReadSubmission> {
    const options = await this.readingOptions(partition, submission);
    const result = await this.reader.read({ input: inputOf(submission), options }, client);
    return this.forCluster(partition, submission, result);
  }

  /** For reading a configuration of a partition. */
  async readingOptions(
    partition: string,
    submission: Pick<Submission, 'format' | 'allowUnknown' | 'quotaPreemptionEnabled'>,
  ): Promise<ConfigurationOptions> {
    const types = await this.cluster.resourceTypes(partition);
    return {
      partition,
      ...(submission.format === undefined ? {} : { format: submission.format }),
      allowUnknown: submission.allowUnknown ?? false,
      switchedOn: submission.quotaPreemptionEnabled ?? false,
      delayInheritance: this.settings.policy.delayInheritance ?? true,
      guaranteedEqualsMax: this.settings.policy.guaranteedEqualsMax ?? 'refuse',
      ...(types.size > 0 ? { knownResourceTypes: types } : {}),
    };
  }

  /** @throws as `read` */
  async forCluster(
    partition: string,
    submission: Pick<Submission, 'quotaPreemptionEnabled'>,
    result: ConfigurationResult,
  ): Promise<ReadSubmission> {
    const clusterSize = await this.cluster.capacity(partition);
    if (result.valid && !result.partitions.some((known) => isNamed(known.name, partition))) {
      const names = result.partitions.map((known) => known.name);
      throw new ProblemException({
        code: 'unknown-partition',
        title: 'The partition is not in the configuration',
        status: 404,
        detail: `The configuration has no partition ${partition}; it has: ${names.join(', ')}${didYouMean(partition, names) || '.'}`,
        remedy: `Send it to one of those, or add partition ${partition} to it.`,
      });
    }
    return {
      ...result,
      partitions: withSwitch(result, partition, submission.quotaPreemptionEnabled),
      warnings: [
        ...result.warnings,
        ...sizeWarnings(result, clusterSize),
        ...similarPartitionWarnings(partition, [...(await policiesInForce(this.db)).keys()]),
      ],
      clusterSize,
    };
  }
}

function changedQueue(event: DomainEvent): ChangedQueue[] {
  if (event.name !== 'QuotaChanged' && event.name !== 'QueueRemoved') return [];
  const { queue, previous } = event.data;
  const current = event.name === 'QuotaChanged' ? event.data.current : unlimited;
  return [{ queue, event: event.name, previous, current, clock: clockEffect(previous, current) }];
}
