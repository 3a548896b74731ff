import type { IHeaders, Message, Producer } from 'kafkajs';
import type { Parked } from '../batch.js';
import type { Delivery } from './incoming-message.js';
import { answerOf, describeTrouble } from './kafka-trouble.js';
import { leave } from './kept-admin.js';
import type { KafkaConnection } from './open-kafka.js';
import { deadLettersTopic } from './topics.js';

/** Added to the headers of the message (docs/how-to/kafka.md, "Dead letters"). */
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

/** Sends messages that cannot be handled to the dead letters. Its client is created on first use. */
export class DeadLetterTopic {
  private producer: Promise<Producer> | undefined;

  constructor(private readonly connection: KafkaConnection) {}

  async send(consumer: string, { message, partition, from }: Delivery, why: Parked): Promise<void> {
    const names = deadLetterHeaders;
    const added = {
      ...(why.field === undefined ? {} : { [names.field]: oneLine(why.field) }),
      [names.consumer]: consumer,
      [names.topic]: this.connection.topicName(from),
      [names.partition]: String(partition),
      [names.offset]: message.offset,
    };
    const reason = oneLine(why.reason);
    const { key, value, headers = {} } = message;
    try {
      await this.put({ key, value, headers: { ...headers, ...added, [names.reason]: reason } });
    } catch (error) {
      if (!isTooLong(error)) throw error;
      // It may have arrived compressed, and the added headers make it longer. Neither may block the others.
      await this.put({
        key: key && isShort(key) ? key : null,
        value: null,
        headers: { ...shortOnes(headers), ...added, [names.reason]: reason + leftOut },
      });
    }
  }

  private async put(message: Message): Promise<void> {
    try {
      const producer = await this.connected();
      await producer.send({
        topic: this.connection.topicName(deadLettersTopic),
        acks: -1,
        messages: [message],
      });
    } catch (error) {
      await this.close();
      throw describeTrouble(error, {
        doing: 'sending a dead letter',
        topics: [this.connection.topicName(deadLettersTopic)],
      });
    }
  }

  async close(): Promise<void> {
    const { producer } = this;
    this.producer = undefined;
    await leave(producer);
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

const leftOut = ' (The message is omitted because it is too long. Read it at its original offset.)';
/** The size of a key or header in bytes, and the number of headers, that a message without its value keeps. */
const longestKept = 4096;
const mostKept = 50;

function isTooLong(error: unknown): boolean {
  return /^(MESSAGE_TOO_LARGE|RECORD_LIST_TOO_LARGE)$/.test(answerOf(error) ?? '');
}

function isShort(text: string | Buffer | (string | Buffer)[] | undefined): boolean {
  return text !== undefined && !Array.isArray(text) && text.length <= longestKept;
}

function shortOnes(headers: IHeaders): IHeaders {
  return Object.fromEntries(
    Object.entries(headers)
      .filter(([name, value]) => isShort(name) && isShort(value))
      .slice(0, mostKept),
  );
}
