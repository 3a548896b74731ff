import type { Topic } from '#contracts/events';

export interface ChannelUse {
  from: string;
  to: string;
  key: string;
  /** Curtail's role on this topic. */
  action: 'send' | 'receive';
  description: string;
}

const queueKey = 'the path of the queue';
const partitionKey = 'the partition';

/** Senders, receivers and key of each topic. Kafka keeps the order only within a key. */
export const channelUses: Record<Topic, ChannelUse> = {
  'curtail.quota': {
    from: 'config-ingest',
    to: 'timer, console, anyone',
    key: `${queueKey}; for ConfigApplied and ConfigRefused ${partitionKey}`,
    action: 'send',
    description: 'Configurations that came into force or were refused, and their changes.',
  },
  'curtail.enforcement': {
    from: 'timer, executor',
    to: 'planner, executor, console, anyone',
    key: queueKey,
    action: 'send',
    description: 'Clocks of queues, and their runs.',
  },
  'curtail.starvation': {
    from: 'planner',
    to: 'timer, console, anyone',
    key: `${queueKey} or of the operation; for nodes root`,
    action: 'send',
    description: 'Pools and operations that are below their fair share or starve, and their timers.',
  },
  'curtail.plans': {
    from: 'planner, console',
    to: 'executor, console, anyone',
    key: queueKey,
    action: 'send',
    description: 'Plans, and decisions of operators on them.',
  },
  'curtail.foresight': {
    from: 'planner',
    to: 'console, anyone',
    key: `${queueKey} of the clock`,
    action: 'send',
    description:
      'Advance notice: which allocations the runs of pending clocks would evict, and when that is withdrawn.',
  },
  'curtail.evictions': {
    from: 'executor',
    to: 'console, anyone',
    key: `${queueKey} that is enforced`,
    action: 'send',
    description: 'The outcome of each victim.',
  },
  'curtail.control': {
    from: 'console',
    to: 'timer, executor, agents, anyone',
    key: `${queueKey}, or ${partitionKey} for a command on all of it`,
    action: 'send',
    description: 'Commands of operators: kill switches, modes, cancelled runs; and answers of owners.',
  },
  'curtail.evictions.requests': {
    from: 'executor',
    to: 'the platform service of the partition',
    key: `${queueKey} of the allocation`,
    action: 'send',
    description:
      'Eviction requests to the platform, and notifications of owners before evictions (CURTAIL_CLUSTER=inventory).',
  },
  'curtail.evictions.answers': {
    from: 'the platform service of the partition',
    to: 'executor',
    key: 'that of the request',
    action: 'receive',
    description: 'Answers of the platform to eviction requests.',
  },
  'curtail.owner.answers': {
    from: 'platform services and agents, for owners',
    to: 'console',
    key: 'the allocation',
    action: 'receive',
    description: 'Answers of owners to upcoming evictions.',
  },
  'curtail.config.submissions': {
    from: 'platform services',
    to: 'config-ingest',
    key: partitionKey,
    action: 'receive',
    description: 'Complete configurations to put in force.',
  },
  'curtail.inventory': {
    from: 'the platform service of the partition',
    to: 'config-ingest',
    key: `${queueKey}; for nodes, listings and confirmations ${partitionKey}`,
    action: 'receive',
    description: 'What runs in the cluster (CURTAIL_CLUSTER=inventory).',
  },
};

type Schema = Record<string, unknown>;

const text = (description: string, more: Schema = {}): Schema => ({ type: 'string', description, ...more });
const longestAttribute = 1024;

/** Headers of CloudEvents 1.0 in binary mode, with the type of the event. Values are UTF-8 text. */
export function headersOf(type: string, action: 'send' | 'receive'): Schema {
  const attributes = {
    ce_specversion: text('The version of CloudEvents.', { const: '1.0' }),
    ce_id: text('Unique within its source: two messages with the same id are one event.', {
      minLength: 1,
      maxLength: longestAttribute,
    }),
    ce_source: text('The sender, as a URI reference.', { minLength: 1, maxLength: longestAttribute }),
    ce_type: text('What happened, and the version of its shape.', { const: type }),
    ce_time: text('When it happened, RFC 3339.', { format: 'date-time' }),
    'content-type': text('The content type of the value.', { const: 'application/json' }),
    traceparent: text('W3C Trace Context, passed on to all that follows.'),
    tracestate: text('W3C Trace Context, passed on to all that follows.'),
  };
  if (action === 'receive') {
    return {
      type: 'object',
      required: ['ce_specversion', 'ce_id', 'ce_source', 'ce_type'],
      properties: attributes,
    };
  }
  return {
    type: 'object',
    required: ['ce_specversion', 'ce_id', 'ce_source', 'ce_type', 'ce_time', 'content-type'],
    properties: {
      ...attributes,
      ce_subject: text('The key.'),
      ce_partition: text('The partition of the cluster.'),
      ce_stream: text('The stream of the log that the event is in.'),
      ce_version: text('Its place in the stream, from 1.'),
      ce_transactionid: text('With ce_position, its place in the log.'),
      ce_position: text('With ce_transactionid, its place in the log.'),
      ce_schemaversion: text(
        'The version of the schema of the data, from 1; this document describes the newest.',
      ),
      ce_dataref: text(
        'Present if the data are too long for a message: the path at which the HTTP API gives the event. The value is `{"dataref": path}`.',
      ),
      ce_replayed: text(
        'Present, and `true`, if the event is old and was republished on request: do not act on it.',
      ),
    },
  };
}

/** Headers of a message on the topic of dead letters, in addition to those of the original message. */
export const deadLetterHeaderSchema: Schema = {
  type: 'object',
  required: ['curtail_reason', 'curtail_consumer', 'curtail_topic', 'curtail_partition', 'curtail_offset'],
  properties: {
    ce_id: text('The id of the message, as its sender gave it; absent if it gave none.'),
    ce_source: text('The source of the message, as its sender gave it; absent if it gave none.'),
    curtail_reason: text('What is wrong, in a sentence.'),
    curtail_field: text(
      'The header or the field of the data that is wrong, if it is the message that is wrong.',
    ),
    curtail_consumer: text('The consumer that could not handle it.'),
    curtail_topic: text('Its topic.'),
    curtail_partition: text('Its Kafka partition.'),
    curtail_offset: text('Its offset.'),
  },
};
