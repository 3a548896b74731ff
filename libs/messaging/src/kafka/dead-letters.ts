import type { Producer } from 'kafkajs';
import type { Parked } from '../batch.js';
import type { Delivery } from './incoming-message.js';
import { tellTrouble } from './kafka-trouble.js';
import type { KafkaConnection } from './open-kafka.js';
import { deadLettersTopic } from './topics.js';

/** Beside the headers that the message had (docs/operations.md, "Kafka: dead letters"). */
export const deadLetterHeaders = {
  reason: 'curtail_reason',
  field: 'curtail_field',
  consumer: 'curtail_consumer',
  topic: 'curtail_topic',
  partition: 'curtail_partition',
  offset: 'curtail_offset',
} as const;

/** Header values are bytes of text without line breaks. */
const longestReason = 2000;

/** Sends messages that cannot be handled to where operators look. Its client is made when it is first needed. */
export class DeadLetters {
  private producer: Promise<Producer> | undefined;

  constructor(private readonly connection: KafkaConnection) {}

  async send(consumer: string, { message, partition, event }: Delivery, why: Parked): Promise<void> {
    const names = deadLetterHeaders;
    try {
      const producer = await this.connected();
      await producer.send({
        topic: this.connection.topicName(deadLettersTopic),
        acks: -1,
        messages: [
          {
            key: message.key,
            value: message.value,
            headers: {
              ...message.headers,
              [names.reason]: oneLine(why.reason),
              ...(why.field === undefined ? {} : { [names.field]: oneLine(why.field) }),
              [names.consumer]: consumer,
              [names.topic]: this.connection.topicName(event.topic),
              [names.partition]: String(partition),
              [names.offset]: message.offset,
            },
          },
        ],
      });
    } catch (error) {
      await this.close();
      throw tellTrouble(error, {
        doing: 'parking a message',
        topics: [this.connection.topicName(deadLettersTopic)],
      });
    }
  }

  async close(): Promise<void> {
    const { producer } = this;
    this.producer = undefined;
    await producer?.then((one) => one.disconnect()).catch(() => {});
  }

  private connected(): Promise<Producer> {
    this.producer ??= (async () => {
      const producer = this.connection.producer();
      await producer.connect();
      return producer;
    })();
    return this.producer;
  }
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').slice(0, longestReason);
}
