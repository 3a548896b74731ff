import type { Producer } from 'kafkajs';
import type { Outgoing } from '#event-store';
import type { KafkaOptions } from './kafka-options.js';
import { answerOf, describeTrouble } from './kafka-trouble.js';
import { kafkajs } from './kafkajs.js';
import { leave } from './kept-admin.js';
import { type KafkaConnection, openKafka } from './open-kafka.js';
import { type Messages, type Sendable, sizeOf } from './outgoing-message.js';

const { CompressionTypes } = kafkajs;

/** The maximum number of bytes in one request: brokers accept a megabyte at once by default. */
const requestBytes = 800 * 1024;
/** A longer message is compressed. */
const packedFromBytes = 256 * 1024;

/** Publishes events in their order, with an idempotent producer that is recreated after every failure. */
export class Publisher<E extends Sendable = Outgoing> {
  private producer: Promise<Producer> | undefined;

  /** @param messages for events of the log: `logMessages`. */
  constructor(
    private readonly connection: KafkaConnection,
    private readonly messages: Messages<E>,
  ) {}

  /** Connects ahead of the first event. */
  async open(): Promise<void> {
    await this.connected();
  }

  /**
   * An event that is too long for its topic is sent in its shorter form.
   *
   * @returns when the brokers have all of them.
   * @throws the error of the brokers. Some of the events may have been accepted; send all of them again.
   */
  async publish(events: readonly E[], options: { replayed?: boolean } = {}): Promise<void> {
    for (let from = 0; from < events.length; ) {
      const count = howMany(events, from);
      await this.send(events.slice(from, from + count), options);
      from += count;
    }
  }

  async close(): Promise<void> {
    const { producer } = this;
    this.producer = undefined;
    await leave(producer);
  }

  private async send(events: readonly E[], options: { replayed?: boolean }): Promise<void> {
    const topics = [...new Set(events.map(({ topic }) => topic))];
    const topicMessages = topics.map((topic) => ({
      topic: this.connection.topicName(topic),
      messages: events
        .filter((event) => event.topic === topic)
        .map((event) => this.messages.of(event, options)),
    }));
    const isLong = events.length === 1 && sizeOf(events[0]!) > packedFromBytes;
    try {
      const producer = await this.connected();
      await producer.sendBatch({
        acks: -1,
        compression: isLong ? CompressionTypes.GZIP : CompressionTypes.None,
        topicMessages,
      });
    } catch (error) {
      // The sequence numbers that the brokers have seen are uncertain: the next producer begins with its own.
      await this.close();
      if (/^(MESSAGE_TOO_LARGE|RECORD_LIST_TOO_LARGE)$/.test(answerOf(error) ?? '')) {
        const shorter = events.length > 1 ? undefined : this.messages.shorter(events[0]!);
        if (events.length > 1) for (const event of events) await this.send([event], options);
        else if (shorter) await this.send([shorter], options);
        else throw describeTrouble(error, { doing: 'publishing', topics });
        return;
      }
      throw describeTrouble(error, { doing: 'publishing', topics: topicMessages.map(({ topic }) => topic) });
    }
  }

  private connected(): Promise<Producer> {
    this.producer ??= (async () => {
      const producer = this.connection.producer();
      try {
        await producer.connect();
        return producer;
      } catch (error) {
        this.producer = undefined;
        throw error;
      }
    })();
    return this.producer;
  }
}

function howMany(events: readonly Sendable[], from: number): number {
  let bytes = 0;
  for (let at = from; at < events.length; at++) {
    const size = sizeOf(events[at]!);
    bytes += size;
    if (at > from && (bytes > requestBytes || size > packedFromBytes)) return at - from;
    if (size > packedFromBytes) return 1;
  }
  return events.length - from;
}

/**
 * Sends a line to a topic that exists, by its name without a prefix, with a connection of its own: for what is sent seldom.
 *
 * @throws Error with the reason.
 */
export async function sendLine(options: KafkaOptions, topic: string, line: string): Promise<void> {
  const producer = openKafka(options).producer();
  try {
    await producer.connect();
    await producer.send({ topic, acks: -1, messages: [{ value: line }] });
  } catch (error) {
    throw describeTrouble(error, { doing: 'sending a line', topics: [topic] });
  } finally {
    await producer.disconnect().catch(() => {});
  }
}
