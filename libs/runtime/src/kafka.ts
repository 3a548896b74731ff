/** Loaded only where there are brokers, by a relative import: the build rewrites no alias within `import()`. */
export {
  countUnpublished,
  destinationOf,
  EventBusTransport,
  KafkaBus,
  logMessages,
  OutboxRelay,
  openKafka,
  Publisher,
  planTopics,
  probeKafka,
  TopicKeeper,
  TopicWatermark,
} from '@curtail/messaging/kafka';
