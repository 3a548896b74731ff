import { createHash } from 'node:crypto';
import type {
  ConfigurationPartition,
  ConfigurationQueue,
  ConfigurationResult,
  PartitionPolicies,
} from '#configuration';
import { type ConfigurationFormat, type EventData, nodeLabelsOf, type Resources } from '#contracts';
import type { EventTrace } from '#event-store';
import type { ConfigurationInput } from '../reading/reading.js';

/** A configuration as sent: a text, or JSON of the same shape, as a value or a text. Its format is detected if absent. */
export type Submission = ({ text: string } | { json: unknown } | { jsonText: string }) & {
  format?: ConfigurationFormat;
  /** Whether unknown keys are warnings. */
  allowUnknown?: boolean;
  /** Overrides the switch of the partition in the configuration. */
  quotaPreemptionEnabled?: boolean;
};

/** Which queues a configuration may remove. */
export type Removes = 'all' | 'empty' | 'none';

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
  notices?: EventData<'ConfigSubmitted'>['senderNotices'];
  /**
   * Which queues of the configuration in force may be missing: all if absent, those that hold no work, or none. An agent, a sender over
   * Kafka and a rollback may remove all: there, a namespace that was deleted is a queue that goes.
   */
  removes?: Removes | undefined;
  /** The only queue that may change, with everything below it. */
  onlyQueue?: string | undefined;
  /** The trace of the message that it came with. */
  cause?: EventTrace | undefined;
}

/** A configuration as read, and the cluster that it is for. */
export interface ReadSubmission extends ConfigurationResult {
  /** Total capacity of all nodes, for comparing shares of the cluster; `{}` if none is known. */
  clusterSize: Resources;
}

export function queuesOf(
  { queues }: Pick<ConfigurationResult, 'queues'>,
  partition: string,
): readonly ConfigurationQueue[] {
  const name = queues[0]?.partition ?? '';
  // Most configurations have one partition.
  const isOnly = isNamed(name, partition) && queues.every((queue) => queue.partition === name);
  return isOnly ? queues : queues.filter((queue) => isNamed(queue.partition, partition));
}

export const enabledIn = (result: ConfigurationResult, partition: string): boolean =>
  result.partitions.some((known) => isNamed(known.name, partition) && known.quotaPreemptionEnabled);

export const policiesIn = (result: ConfigurationResult, partition: string): PartitionPolicies =>
  result.partitions.find((known) => isNamed(known.name, partition))?.policies ?? {};

/** The partitions of a configuration, with the switch of one as its sender overrides it: not where node labels make every sum wrong. */
export function withSwitch(
  { partitions, queues }: Pick<ConfigurationResult, 'partitions' | 'queues'>,
  partition: string,
  quotaPreemptionEnabled: boolean | undefined,
): ConfigurationPartition[] {
  if (quotaPreemptionEnabled === undefined) return partitions;
  const hasLabels = nodeLabelsOf(queues.filter((queue) => isNamed(queue.partition, partition))).length > 0;
  return partitions.map((known) =>
    isNamed(known.name, partition)
      ? { ...known, quotaPreemptionEnabled: quotaPreemptionEnabled && !hasLabels }
      : known,
  );
}

/** Partitions are stored in lower case, however a configuration writes them. */
export const isNamed = (written: string, partition: string): boolean => written.toLowerCase() === partition;

/** The texts of JSON values, each written once. */
const bodies = new WeakMap<object, string>();

export function bodyOf(submission: Submission): string {
  if ('text' in submission) return submission.text;
  if ('jsonText' in submission) return submission.jsonText;
  const { json } = submission;
  if (typeof json !== 'object' || json === null) return JSON.stringify(json);
  const body = bodies.get(json) ?? JSON.stringify(json);
  bodies.set(json, body);
  return body;
}

/** What is to be read of it. */
export const inputOf = (submission: Submission): ConfigurationInput =>
  'text' in submission ? submission.text : { jsonText: bodyOf(submission) };

export const digestOfText = (body: string): string => createHash('sha256').update(body).digest('hex');
