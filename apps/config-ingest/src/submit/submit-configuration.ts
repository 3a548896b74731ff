import { createHash } from 'node:crypto';
import { CLUSTER_READER, type ClusterReader, queuesInForce } from '@curtail/clusters';
import {
  type ConfigurationOptions,
  type ConfigurationPartition,
  type ConfigurationQueue,
  type ConfigurationResult,
  type PartitionPolicies,
  policyChanges,
} from '@curtail/configuration';
import {
  type ConfigurationFormat,
  configurationLimits,
  counted,
  type DomainEvent,
  type Notice,
  ofPartition,
  ofQueue,
  type Resources,
} from '@curtail/contracts';
import type { Applied, ChangedQueue, ConfigurationError, ConfigurationWarning } from '@curtail/contracts/api';
import { appendNext, configStream, databaseTime, type Tx } from '@curtail/event-store';
import { ProblemException, tagOf } from '@curtail/platform';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { changesOfVersion } from '../history/changes-of-version.js';
import { recordVersion } from '../history/configuration-history.js';
import { ReadApart } from '../reading/read-apart.js';
import { INGEST_SETTINGS, type IngestSettings } from '../settings/ingest-settings.js';
import { changedGuaranteed } from './changed-guaranteed.js';
import { changedProperties } from './changed-properties.js';
import { changes, clockOf, unlimited } from './changes.js';
import {
  configurationInForce,
  lockConfiguration,
  noteQuotaChanges,
  putInForce,
} from './configuration-store.js';
import { type EnforcementSide, enforcementEnds } from './enforcement-ends.js';
import { assertVersion, VersionConflict } from './expected-version.js';
import { assertOthersStay } from './other-queues.js';
import { assertNoneRemoved, QueuesWouldBeRemoved, removalRefused } from './removed-queues.js';
import { runningRuns } from './running-runs.js';

/** A configuration as sent: a text, or a JSON value of the same shape. Its format is detected if absent. */
export type Submission = ({ text: string } | { json: unknown }) & {
  format?: ConfigurationFormat;
  /** Whether unknown keys are warnings. */
  allowUnknown?: boolean;
  /** Overrides the switch of the partition in the configuration. */
  quotaPreemptionEnabled?: boolean;
};

/** Fields of the sender besides the configuration. */
export interface Sender {
  /** Its name, if it gave one. */
  by?: string | undefined;
  /** Over HTTP if absent. */
  via?: 'http' | 'kafka';
  /** The CloudEvents source of a submission over Kafka. */
  source?: string | undefined;
  /** The version whose text this is. */
  rolledBackTo?: number;
  /** Its own id of the submission. */
  submission?: string;
  /** The cluster that the sender reports. */
  cluster?: string | undefined;
  /** The configuration to replace; 0: none yet, absent: whichever is in force. */
  ifVersion?: number | undefined;
  notices?: readonly Pick<Notice, 'code' | 'message'>[];
  /** Whether the configuration must keep all queues of the one in force. */
  keepsQueues?: boolean | undefined;
  /** The only queue that may change, with everything below it. */
  onlyQueue?: string | undefined;
}

/** A configuration as read, and the cluster that it is for. */
export interface ReadSubmission extends ConfigurationResult {
  /** Total capacity of all nodes, for comparing shares of the cluster; `{}` if none is known. */
  clusterSize: Resources;
}

/**
 * Receives a complete configuration for one partition. In one transaction: the configuration in force, `ConfigApplied`, and one
 * event for each queue whose quota changed. One with errors is refused and recorded, and the configuration in force stays.
 */
@Injectable()
export class SubmitConfiguration {
  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(CLUSTER_READER) private readonly cluster: ClusterReader,
    @Inject(INGEST_SETTINGS) private readonly settings: Pick<IngestSettings, 'policy'>,
    @Inject(ReadApart) private readonly reader: ReadApart,
  ) {}

  /**
   * @throws ProblemException 422 with all errors of the configuration, 404 if it lacks the partition, 412 if another version is in force,
   *   409 if it would remove queues that it has to keep.
   */
  async submit(partition: string, submission: Submission, sender: Sender = {}): Promise<Applied> {
    const result = await this.read(partition, submission);
    if (!result.valid) return this.refuseNow(partition, submission, result);
    try {
      return await this.db.transaction((tx) => this.apply(tx, partition, submission, result, sender));
    } catch (error) {
      if (error instanceof QueuesWouldBeRemoved) throw await removalRefused(this.cluster, partition, error);
      throw error instanceof VersionConflict ? conflict(partition, error) : error;
    }
  }

  /** Records a refused submission. @throws ProblemException 422 */
  async refuseNow(partition: string, submission: Submission, result: Refused): Promise<never> {
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
    const {
      submission: id,
      by,
      via = 'http',
      source,
      rolledBackTo,
      cluster,
      ifVersion,
      notices = [],
      keepsQueues = false,
      onlyQueue,
    } = sender;
    const body = bodyOf(submission);
    const digest = digestOf(body);
    const enabled = enabledIn(result, partition);
    const policies = policiesIn(result, partition);
    const queues = queuesOf(result, partition);
    await lockConfiguration(tx, partition);
    const at = await databaseTime(tx);
    const before = await configurationInForce(tx, partition);
    await assertVersion(tx, partition, before?.version ?? 0, ifVersion);
    const queuesBefore = await queuesInForce(tx, partition);
    if (onlyQueue !== undefined) assertOthersStay(onlyQueue, queuesBefore, queues);
    if (keepsQueues) assertNoneRemoved(queuesBefore, queues, before?.version ?? 0);
    const followed = changes(partition, queuesBefore, queues, result.clusterSize);
    const warnings = warningsOf(result, partition, {
      enabled: before?.quotaPreemptionEnabled ?? false,
      queues: queuesBefore,
    });
    const applied: DomainEvent = {
      name: 'ConfigApplied',
      data: {
        partition,
        digest,
        format: result.format,
        quotaPreemptionEnabled: enabled,
        previousQuotaPreemptionEnabled: before?.quotaPreemptionEnabled ?? null,
        policies,
        queues: queues.length,
        changed: followed.length,
        notices: [
          ...notices.map(({ code, message }) => ({ code, message, about: ofPartition(partition) })),
          ...toRecord(warnings, id !== undefined).map(({ code, path, message, about }) => {
            return { code, message: `${path}: ${message}`, about, path };
          }),
        ].slice(0, 1000),
        ...(id === undefined ? {} : { submission: id }),
        ...(by === undefined ? {} : { by }),
        via,
        ...(rolledBackTo === undefined ? {} : { rolledBackTo }),
        ...(onlyQueue === undefined ? {} : { onlyQueue }),
      },
    };
    const version = await appendNext(tx, {
      stream: configStream(partition),
      partition,
      events: [
        { event: applied, at, key: partition },
        ...followed.map((event) => ({ event, at, key: queueOf(event) })),
      ],
    });
    const changed = followed.map((event, i) => ({ queue: queueOf(event), version: version + 1 + i }));
    await noteQuotaChanges(tx, partition, changed);
    await putInForce(
      tx,
      {
        partition,
        digest,
        format: result.format,
        body,
        quotaPreemptionEnabled: enabled,
        policies,
        appliedAt: at,
        version: version + followed.length,
        cluster,
      },
      queuesBefore,
      queues,
    );
    await recordVersion(tx, {
      partition,
      version: version + followed.length,
      previous: before?.version ?? null,
      appliedAt: at,
      by,
      via,
      source,
      submission: id,
      rolledBackTo,
      onlyQueue,
      format: result.format,
      digest,
      body,
      quotaPreemptionEnabled: enabled,
      cluster,
      ...changesOfVersion(partition, before && { ...before, queues: queuesBefore }, {
        quotaPreemptionEnabled: enabled,
        policies,
        queues,
      }),
    });
    return {
      partition,
      digest,
      version: version + followed.length,
      quotaPreemptionEnabled: enabled,
      previousQuotaPreemptionEnabled: before?.quotaPreemptionEnabled ?? null,
      policyChanges: policyChanges(before?.policies ?? {}, policies),
      appliedAt: at.toISOString(),
      queues: queues.length,
      changed: followed.flatMap(changedQueue),
      guaranteedChanged: changedGuaranteed(queuesBefore, queues, result.clusterSize),
      propertiesChanged: changedProperties(queuesBefore, queues),
      running: await runningRuns(
        tx,
        partition,
        before?.quotaPreemptionEnabled && !enabled ? null : changed.map(({ queue }) => queue),
      ),
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
   * @throws ProblemException 404 if it is valid but lacks the partition.
   */
  async read(partition: string, submission: Submission): Promise<ReadSubmission> {
    const input = 'text' in submission ? submission.text : { json: submission.json };
    const options = await this.readingOptions(partition, submission);
    const result = await this.reader.read({ input, options }, bodyOf(submission).length);
    return this.forCluster(partition, submission, result);
  }

  /** For reading a configuration of a partition. */
  async readingOptions(
    partition: string,
    submission: Pick<Submission, 'format' | 'allowUnknown'>,
  ): Promise<ConfigurationOptions> {
    const types = await this.cluster.resourceTypes(partition);
    return {
      partition,
      ...(submission.format === undefined ? {} : { format: submission.format }),
      allowUnknown: submission.allowUnknown ?? false,
      delayInheritance: this.settings.policy.delayInheritance,
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
      const names = result.partitions.map((known) => known.name).join(', ');
      throw new ProblemException({
        code: 'unknown-partition',
        title: 'The partition is not in the configuration',
        status: 404,
        detail: `The configuration has no partition ${partition}; it has: ${names}.`,
        remedy: `Send it to one of those, or add the partition ${partition} to it.`,
      });
    }
    return {
      ...result,
      partitions: withSwitch(result.partitions, partition, submission.quotaPreemptionEnabled),
      warnings: [...result.warnings, ...sizeWarnings(result, clusterSize)],
      clusterSize,
    };
  }
}

export const queuesOf = (result: ConfigurationResult, partition: string): ConfigurationQueue[] =>
  result.queues.filter((queue) => isNamed(queue.partition, partition));

export const enabledIn = (result: ConfigurationResult, partition: string): boolean =>
  result.partitions.some((known) => isNamed(known.name, partition) && known.quotaPreemptionEnabled);

export const policiesIn = (result: ConfigurationResult, partition: string): PartitionPolicies =>
  result.partitions.find((known) => isNamed(known.name, partition))?.policies ?? {};

/**
 * The warnings for the log. An unusual delay is a question to the sender, who has it in the answer; the sender of a configuration over Kafka
 * has the event alone.
 */
function toRecord(warnings: readonly ConfigurationWarning[], isOverKafka: boolean): ConfigurationWarning[] {
  return warnings.filter(({ code }) => isOverKafka || code !== 'delay-unusual');
}

/** All warnings for the sender: of the reader, and about what it ends of the configuration `before`. Unusual delays are one warning. */
export function warningsOf(
  result: ReadSubmission,
  partition: string,
  before: EnforcementSide,
): ConfigurationWarning[] {
  const { format, clusterSize, warnings } = result;
  const after = { enabled: enabledIn(result, partition), queues: queuesOf(result, partition) };
  return [
    ...withOneUnusualDelay(warnings),
    ...enforcementEnds({ partition, format, clusterSize }, before, after),
  ];
}

/** Thousands of queues may have the same delay. The first one stands for all. */
function withOneUnusualDelay(warnings: readonly ConfigurationWarning[]): ConfigurationWarning[] {
  const [first, ...further] = warnings.filter(({ code }) => code === 'delay-unusual');
  if (first === undefined || further.length === 0) return [...warnings];
  const atLeast = warnings.length < configurationLimits.problems ? '' : 'at least ';
  const more = `${atLeast}${counted(further.length, 'more delay is', 'more delays are')} unusual`;
  const message = `${first.message} ${more[0]!.toUpperCase()}${more.slice(1)}; curtail validate lists them.`;
  return warnings.flatMap((warning) => {
    if (warning.code !== 'delay-unusual') return [warning];
    return warning === first ? [{ ...first, message }] : [];
  });
}

function withSwitch(
  partitions: ConfigurationPartition[],
  partition: string,
  quotaPreemptionEnabled: boolean | undefined,
): ConfigurationPartition[] {
  if (quotaPreemptionEnabled === undefined) return partitions;
  return partitions.map((known) =>
    isNamed(known.name, partition) ? { ...known, quotaPreemptionEnabled } : known,
  );
}

/** Shares resolve to zero while the size of the cluster is unknown: nothing is limited or guaranteed. */
function sizeWarnings({ queues }: ConfigurationResult, clusterSize: Resources): ConfigurationWarning[] {
  const first = queues.find(({ clusterShare }) => clusterShare !== undefined);
  if (first === undefined || Object.keys(clusterSize).length > 0) return [];
  const message = 'percentages and weights resolve to zero until nodes of the partition are known';
  return [{ code: 'cluster-size-unknown', path: first.path, message, about: ofQueue(first.path) }];
}

export function conflict(partition: string, { version, message }: VersionConflict): ProblemException {
  return new ProblemException(
    {
      code: 'configuration-changed',
      title: 'Another configuration is in force',
      status: 412,
      detail: `${message} Nothing was changed.`,
      remedy: `Read the configuration in force again (curtail export --partition ${partition}), and send your change of it.`,
    },
    { ETag: tagOf(version) },
  );
}

type Refused = Pick<ConfigurationResult, 'errors' | 'unknownKeys'>;

/** The refusal of a configuration, with all its problems. */
export function refused({ errors, unknownKeys }: Refused): ProblemException {
  return new ProblemException({
    code: 'configuration-refused',
    title: 'The configuration is refused',
    status: 422,
    detail: `${counted(errors.length, 'thing is', 'things are')} wrong with it; the configuration in force stays as it is.`,
    remedy:
      unknownKeys === 0
        ? 'Correct what is listed and send the whole configuration again.'
        : `Correct what is listed and send the whole configuration again. If the scheduler knows the unknown keys, allow them: ?allowUnknown=true, or curtail apply --allow-unknown.`,
    errors,
  });
}

/** Partitions are stored in lower case, however a configuration writes them. */
const isNamed = (written: string, partition: string): boolean => written.toLowerCase() === partition;

function changedQueue(event: DomainEvent): ChangedQueue[] {
  if (event.name !== 'QuotaChanged' && event.name !== 'QueueRemoved') return [];
  const { queue, previous } = event.data;
  const current = event.name === 'QuotaChanged' ? event.data.current : unlimited;
  return [{ queue, event: event.name, previous, current, clock: clockOf(previous, current) }];
}

const queueOf = (event: DomainEvent): string => ('queue' in event.data ? (event.data.queue ?? '') : '');

const bodyOf = (submission: Submission): string =>
  'text' in submission ? submission.text : JSON.stringify(submission.json);

const digestOf = (body: string): string => createHash('sha256').update(body).digest('hex');
