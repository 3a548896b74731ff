import type { QueueInForce } from '#clusters';
import type { PartitionPolicies } from '#configuration';
import { type DomainEvent, ofPartition, ofQueue, type RecordedNotice, type Resources } from '#contracts';
import type { ConfigurationWarning, WarningCode } from '#contracts/api';
import { changes } from '#forecast';
import { asInForce, type InForce, type StoredConfiguration } from './configuration-store.js';
import { type DifferingQueues, differingQueues } from './differing-queues.js';
import {
  bodyOf,
  digestOfText,
  enabledIn,
  policiesIn,
  queuesOf,
  type ReadSubmission,
  type Sender,
  type Submission,
} from './submission.js';
import { warningsOf } from './submission-warnings.js';

const mostNotices = 1000;
const mostForAttention = 100;

/** The configuration of a partition until now; absent: none was applied yet. */
export interface Before {
  configuration: InForce | undefined;
  queues: readonly QueueInForce[];
}

/** The configuration of a partition from now on. */
export interface After
  extends Pick<StoredConfiguration, 'digest' | 'format' | 'body' | 'quotaPreemptionEnabled'> {
  policies: PartitionPolicies;
  queues: readonly QueueInForce[];
  /** As `ReadSubmission.clusterSize`. */
  clusterSize: Resources;
}

/** What a configuration changes. */
export interface DecidedConfiguration {
  before: Before;
  after: After;
  /** Queues of both that may differ. */
  differing: DifferingQueues;
  /** `ConfigApplied`, which comes first. */
  applied: DomainEvent;
  /** One event of each queue whose quota changes, in their order. */
  followed: DomainEvent[];
  /** For the sender. */
  warnings: ConfigurationWarning[];
  /** The notices that the status has as long as this configuration is in force. */
  attention: Pick<RecordedNotice, 'code' | 'message' | 'about'>[];
}

/**
 * Decides which events a valid configuration causes.
 *
 * @param before read under the lock of the partition's configurations.
 */
export function decideConfiguration(
  partition: string,
  before: Before,
  submission: Submission,
  result: ReadSubmission,
  sender: Sender,
): DecidedConfiguration {
  const body = bodyOf(submission);
  const after: After = {
    body,
    digest: digestOfText(body),
    format: result.format,
    quotaPreemptionEnabled: enabledIn(result, partition),
    policies: policiesIn(result, partition),
    queues: queuesOf(result, partition),
    clusterSize: result.clusterSize,
  };
  const found = differingQueues(before.queues, after.queues);
  const differing = { ...found, before: found.before.map(asInForce) };
  const followed = changes(partition, differing.before, differing.after, after.clusterSize);
  const enabled = before.configuration?.quotaPreemptionEnabled ?? false;
  const warnings = warningsOf(result, partition, { enabled, queues: before.queues }, differing);
  const { submission: id, by, via = 'http', rolledBackTo, notices = [], onlyQueue } = sender;
  const ofSender = notices.map(({ code, message, queue, needsAttention }) => {
    return {
      code,
      message,
      about: queue === undefined ? ofPartition(partition) : ofQueue(queue),
      needsAttention,
    };
  });
  const ofReader = toRecord(warnings, id !== undefined).map(({ code, path, message, about }) => {
    return {
      code,
      message: `${path}: ${message}`,
      about,
      path,
      needsAttention: code === 'guaranteed-above-max',
    };
  });
  const applied: DomainEvent = {
    name: 'ConfigApplied',
    data: {
      partition,
      digest: after.digest,
      format: after.format,
      quotaPreemptionEnabled: after.quotaPreemptionEnabled,
      previousQuotaPreemptionEnabled: before.configuration?.quotaPreemptionEnabled ?? null,
      policies: after.policies,
      queues: after.queues.length,
      changed: followed.length,
      notices: [
        ...ofSender.map(({ needsAttention: _, ...notice }) => notice),
        ...ofReader.map(({ needsAttention: _, ...notice }) => notice),
      ].slice(0, mostNotices),
      ...(id === undefined ? {} : { submission: id }),
      ...(by === undefined ? {} : { by }),
      via,
      ...(rolledBackTo === undefined ? {} : { rolledBackTo }),
      ...(onlyQueue === undefined ? {} : { onlyQueue }),
    },
  };
  const attention = [...ofSender, ...ofReader]
    .filter(({ needsAttention }) => needsAttention)
    .slice(0, mostForAttention)
    .map(({ code, message, about }) => ({ code, message, about }));
  return { before, after, differing, applied, followed, warnings, attention };
}

/** Questions to the sender, who has them in the answer. */
const questions = new Set<WarningCode>(['delay-unusual', 'nothing-enforced']);

/** The warnings for the log. The sender of a configuration over Kafka has the event alone. */
function toRecord(warnings: readonly ConfigurationWarning[], isOverKafka: boolean): ConfigurationWarning[] {
  return warnings.filter(({ code }) => isOverKafka || !questions.has(code));
}
