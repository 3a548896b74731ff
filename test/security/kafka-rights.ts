import { inboundTopics, topics } from '#contracts/events';
import type { Consumer } from '#messaging';
import { deadLettersTopic, type KafkaConnection, planTopics } from '#messaging/kafka';

/** A rule (ACL) that a service needs. READ, WRITE and ALTER include DESCRIBE. */
export interface Right {
  resource: 'topic' | 'group';
  /** With the prefix of the installation. */
  name: string;
  operation: 'READ' | 'WRITE' | 'DESCRIBE' | 'CREATE' | 'ALTER' | 'DESCRIBE_CONFIGS' | 'ALTER_CONFIGS';
}

/**
 * The rights that a process needs, and no others (docs/how-to/kafka.md, "Rights").
 *
 * @param consumers that read from Kafka; those that need the order of the log read PostgreSQL.
 * @param relays it is a candidate for publishing the log.
 * @param watches topics whose ends it reads (`TopicWatermark`).
 * @param manages it creates topics and adjusts their settings.
 */
export function rightsOf(
  does: {
    consumers: readonly Pick<Consumer, 'name' | 'topics' | 'order'>[];
    relays: boolean;
    watches?: readonly string[];
    manages: boolean;
  },
  prefix = '',
): Right[] {
  const readers = does.consumers.filter(({ order }) => order !== 'log');
  const ofTopic = (operation: Right['operation'], names: Iterable<string>) =>
    [...names].map((name): Right => ({ resource: 'topic', name: prefix + name, operation }));
  return [
    ...ofTopic('READ', new Set(readers.flatMap((reader) => reader.topics))),
    ...ofTopic('DESCRIBE', does.watches ?? []),
    ...readers.map(
      ({ name }): Right => ({ resource: 'group', name: `${prefix}curtail.${name}`, operation: 'READ' }),
    ),
    ...ofTopic('WRITE', [
      ...(does.relays ? Object.values(topics) : []),
      ...(readers.length > 0 ? [deadLettersTopic] : []),
    ]),
    ...(does.manages
      ? planTopics().flatMap(({ topic }) =>
          (['CREATE', 'ALTER', 'DESCRIBE_CONFIGS', 'ALTER_CONFIGS'] as const).flatMap((operation) =>
            ofTopic(operation, [topic]),
          ),
        )
      : []),
  ];
}

const readByAgents = [topics.evictionRequests, topics.evictions, topics.quota, topics.control];
const sentByAgents = [
  inboundTopics.inventory,
  inboundTopics.evictionAnswers,
  inboundTopics.submissions,
  inboundTopics.ownerAnswers,
];

/**
 * The permissions of an agent on the brokers, and no others (docs/how-to/kafka.md, "Rights").
 *
 * @param names adds the prefix of the installation to topics and groups.
 */
export function agentRights(group: string, names: Pick<KafkaConnection, 'topicName' | 'groupName'>): Right[] {
  return [
    ...readByAgents.map(
      (topic): Right => ({ resource: 'topic', name: names.topicName(topic), operation: 'READ' }),
    ),
    { resource: 'group', name: names.groupName(group), operation: 'READ' },
    ...sentByAgents.map(
      (topic): Right => ({ resource: 'topic', name: names.topicName(topic), operation: 'WRITE' }),
    ),
  ];
}
