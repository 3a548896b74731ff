/** Loaded only if there are brokers, by a relative import: the build does not rewrite aliases within `import()`. */
export {
  countUnpublished,
  destinationOf,
  KafkaBus,
  logMessages,
  OutboxRelay,
  openKafka,
  Publisher,
  planTopics,
  probeKafka,
  sendLine,
  TopicKeeper,
  TopicWatermark,
} from '#messaging/kafka';
