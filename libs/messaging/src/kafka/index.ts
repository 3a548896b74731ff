export { deadLetterHeaders } from './dead-letters.js';
export { endsWithin } from './ends-within.js';
export { ensureTopics } from './ensure-topics.js';
export { unreadableWhole } from './incoming-message.js';
export { KafkaBus, type KafkaBusOptions } from './kafka-bus.js';
export type { KafkaOptions, KafkaSasl } from './kafka-options.js';
export { describeTrouble } from './kafka-trouble.js';
export { leave } from './kept-admin.js';
export { type KafkaConnection, openKafka, probeKafka } from './open-kafka.js';
export { OutboxRelay, type OutboxRelayOptions, relayPageSize } from './outbox-relay.js';
export { logMessages, type Messages, type Sendable } from './outgoing-message.js';
export { Publisher, sendLine } from './publisher.js';
export { countUnpublished } from './relay-lease.js';
export { TopicKeeper } from './topic-keeper.js';
export { TopicWatermark } from './topic-watermark.js';
export {
  deadLettersTopic,
  destinationOf,
  planTopics,
  type RequestedTopics,
} from './topics.js';
