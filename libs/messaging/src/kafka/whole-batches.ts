import type {
  ICustomPartitioner,
  Message,
  Producer,
  ProducerBatch,
  RecordMetadata,
  TopicMessages,
} from 'kafkajs';
import { kafkajs } from './kafkajs.js';

/**
 * A producer of kafkajs that sends a batch whole, or fails. After a broker was lost, kafkajs 2.2 tries again without the brokers that have
 * answered (`sendMessages`), also where the lost one's partitions have moved to them: the batch succeeds without these messages. Here they are sent
 * until the brokers have acknowledged each partition.
 *
 * @param producerWith makes the producer of kafkajs, with this partitioner. All its batches ask for acknowledgements.
 */
export function wholeBatches(producerWith: (createPartitioner: ICustomPartitioner) => Producer): Producer {
  const partitionOf = new WeakMap<Message, number>();
  const producer = producerWith(() => {
    const choose = kafkajs.Partitioners.DefaultPartitioner();
    return (of) => {
      const partition = choose(of);
      partitionOf.set(of.message, partition);
      return partition;
    };
  });

  const sendBatch = async (batch: ProducerBatch): Promise<RecordMetadata[]> => {
    const answers = await producer.sendBatch(batch);
    const acknowledged = new Set(answers.map(({ topicName, partition }) => `${topicName}/${partition}`));
    const isLeft = (topic: string) => (message: Message) =>
      !acknowledged.has(`${topic}/${partitionOf.get(message)}`);
    const left = (batch.topicMessages ?? []).flatMap(({ topic, messages }): TopicMessages[] => {
      const some = messages.filter(isLeft(topic));
      return some.length > 0 ? [{ topic, messages: some }] : [];
    });
    // Fewer each time, since the brokers have acknowledged something.
    return left.length === 0
      ? answers
      : [...answers, ...(await sendBatch({ ...batch, topicMessages: left }))];
  };

  return {
    ...producer,
    sendBatch,
    send: ({ topic, messages, ...how }) => sendBatch({ ...how, topicMessages: [{ topic, messages }] }),
  };
}
