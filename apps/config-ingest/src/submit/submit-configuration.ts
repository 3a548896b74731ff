import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { CLUSTER_READER, type ClusterReader, configuredPartitions } from '#clusters';
import {
  type ConfigurationOptions,
  type ConfigurationResult,
  effectOnClock,
  policyChanges,
} from '#configuration';
import { type DomainEvent, didYouMean, nodeLabelsField, nodeLabelsOf, type Resources } from '#contracts';
import type { Applied, ChangedQueue } from '#contracts/api';
import type { Tx } from '#event-store';
import { changedProperties, guaranteedChanges, unlimited } from '#forecast';
import { type CallingClient, ProblemException } from '#platform';
import { ReadInThread } from '../reading/read-in-thread.js';
import { INGEST_SETTINGS, type IngestSettings } from '../settings/ingest-settings.js';
import { ConfigurationSession, type Recorded } from './configuration-session.js';
import { isSwitchedOnByAgent, readConfigurationInForce, runningRuns } from './configuration-store.js';
import { VersionConflict } from './expected-version.js';
import { queueOf } from './record-configuration.js';
import { QueuesWouldBeRemoved, removalRefused } from './removed-queues.js';
import { similarPartitionWarnings } from './similar-names.js';
import {
  enabledIn,
  inputOf,
  isNamed,
  type ReadSubmission,
  type Sender,
  type Submission,
  withSwitch,
} from './submission.js';
import { conflict, type RefusedConfiguration, refusalOf } from './submission-refusals.js';
import { sizeWarnings } from './submission-warnings.js';

/** What configurations of a partition are read against. */
export interface Surroundings {
  /** Of the nodes of the partition. */
  resourceTypes: ReadonlySet<string>;
  /** As `ReadSubmission.clusterSize`. */
  clusterSize: Resources;
  /** All partitions with a configuration. */
  configured: readonly string[];
}

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
    if (!(await isSwitchedOnByAgent(this.db, partition))) return submission;
    const inForce = await readConfigurationInForce(this.db, partition);
    if (inForce === undefined) return submission;
    const { body: text, format } = inForce;
    const own = await this.read(partition, { text, format, allowUnknown: true }, client);
    const isOverridden = own.valid && !enabledIn(own, partition);
    return isOverridden ? { ...submission, quotaPreemptionEnabled: true } : submission;
  }

  /** Records a refused submission. @throws ProblemException 422 */
  async refuseNow(partition: string, submission: Submission, result: RefusedConfiguration): Promise<never> {
    await this.db.transaction(async (tx) => {
      const session = await ConfigurationSession.open(tx, [partition]);
      session.refuse(partition, submission, result.errors);
      await (await session.save()).written;
    });
    throw refusalOf(result);
  }

  /** Puts a valid configuration in force. @throws as `ConfigurationSession.put` */
  async apply(
    tx: Tx,
    partition: string,
    submission: Submission,
    result: ReadSubmission,
    sender: Sender = {},
  ): Promise<Applied> {
    const session = await ConfigurationSession.open(tx, [partition]);
    const applied = await this.put(session, partition, submission, result, sender);
    const { written } = await session.save();
    // The answer for ten thousand queues takes a while, in which the server writes.
    const answer = this.answer(tx, partition, applied);
    // If a statement failed, those of the answer fail because of that.
    answer.catch(() => {});
    await written;
    return answer;
  }

  /** The same in a session, whose `save` writes it. */
  put(
    session: ConfigurationSession,
    partition: string,
    submission: Submission,
    result: ReadSubmission,
    sender: Sender,
  ): Promise<Recorded> {
    const held = (of: string[]) => this.cluster.held(partition, of, session.tx);
    return session.put(partition, submission, result, sender, held);
  }

  private async answer(
    tx: Tx,
    partition: string,
    { before: { configuration }, after, differing, followed, warnings, version, at }: Recorded,
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
      guaranteedChanged: guaranteedChanges(differing.before, differing.after, after.clusterSize),
      propertiesChanged: changedProperties(differing.before, differing.after),
      running: await runningRuns(tx, partition, isSwitchedOff ? null : followed.map(queueOf)),
      warnings,
    };
  }

  /**
   * Reads a configuration and finds the partition in it.
   *
   * @param surroundings what it is read against, if that is known.
   * @throws ProblemException 404 if it is valid but lacks the partition, and as `ReadInThread`.
   */
  async read(
    partition: string,
    submission: Submission,
    client?: CallingClient,
    surroundings?: Surroundings,
  ): Promise<ReadSubmission> {
    const options = await this.readingOptions(partition, submission, surroundings);
    const result = await this.reader.read({ input: inputOf(submission), options }, client);
    return this.forCluster(partition, submission, result, surroundings);
  }

  /** What configurations of a partition are read against. */
  async surroundings(partition: string): Promise<Surroundings> {
    const [resourceTypes, clusterSize, configured] = await Promise.all([
      this.cluster.resourceTypes(partition),
      this.cluster.capacity(partition),
      configuredPartitions(this.db),
    ]);
    return { resourceTypes, clusterSize, configured };
  }

  /** For reading a configuration of a partition. */
  async readingOptions(
    partition: string,
    submission: Pick<Submission, 'format' | 'allowUnknown' | 'quotaPreemptionEnabled'>,
    surroundings?: Pick<Surroundings, 'resourceTypes'>,
  ): Promise<ConfigurationOptions> {
    const types = surroundings?.resourceTypes ?? (await this.cluster.resourceTypes(partition));
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
    surroundings?: Pick<Surroundings, 'clusterSize' | 'configured'>,
  ): Promise<ReadSubmission> {
    const clusterSize = surroundings?.clusterSize ?? (await this.cluster.capacity(partition));
    const configured = surroundings?.configured ?? (await configuredPartitions(this.db));
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
        ...similarPartitionWarnings(partition, configured),
      ],
      clusterSize,
    };
  }
}

function changedQueue(event: DomainEvent): ChangedQueue[] {
  if (event.name !== 'QuotaChanged' && event.name !== 'QueueRemoved') return [];
  const { queue, previous } = event.data;
  const current = event.name === 'QuotaChanged' ? event.data.current : undefined;
  const clock = effectOnClock(previous, current);
  return [{ queue, event: event.name, previous, current: current ?? unlimited, clock }];
}
