import type { QueueInForce } from '#clusters';
import type { PartitionPolicies } from '#configuration';
import { type DomainEvent, ofPartition, ofQueue, type RecordedNotice, type Resources } from '#contracts';
import type { ConfigurationWarning, WarningCode } from '#contracts/api';
import { changes } from '#forecast';
import type { InForce, StoredConfiguration } from './configuration-store.js';
import {
  bodyOf,
  digestOf,
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
  queues: QueueInForce[];
}

/** The configuration of a partition from now on. */
export interface After
  extends Pick<StoredConfiguration, 'digest' | 'format' | 'body' | 'quotaPreemptionEnabled'> {
  policies: PartitionPolicies;
  queues: QueueInForce[];
  /** As `ReadSubmission.clusterSize`. */
  clusterSize: Resources;
}

/** What a configuration changes. */
export interface DecidedConfiguration {
  before: Before;
  after: After;
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
    digest: digestOf(body),
    format: result.format,
    quotaPreemptionEnabled: enabledIn(result, partition),
    policies: policiesIn(result, partition),
    queues: queuesOf(result, partition),
    clusterSize: result.clusterSize,
  };
  const followed = changes(partition, before.queues, after.queues, after.clusterSize);
  const warnings = warningsOf(result, partition, {
    enabled: before.configuration?.quotaPreemptionEnabled ?? false,
    queues: before.queues,
  });
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
  return { before, after, applied, followed, warnings, attention };
}

/** Questions to the sender, who has them in the answer. */
const questions = new Set<WarningCode>(['delay-unusual', 'nothing-enforced']);

/** The warnings for the log. The sender of a configuration over Kafka has the event alone. */
function toRecord(warnings: readonly ConfigurationWarning[], isOverKafka: boolean): ConfigurationWarning[] {
  return warnings.filter(({ code }) => isOverKafka || !questions.has(code));
}
