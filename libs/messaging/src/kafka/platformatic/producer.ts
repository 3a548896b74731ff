import type { IHeaders, Message, ProducerBatch, ProducerRecord } from 'kafkajs';
import { clientRetry } from '../kafka-options.js';
import { kafkajs } from '../kafkajs.js';
import { baseOptions, type ClientOptions, inKafkajs, loadLibrary, retryMs } from './library.js';
import type { Producer } from './surface.js';

/** Sends with an idempotent producer of the library, in the words of kafkajs, to the partitions to which kafkajs sends. */
export class PlatformaticProducer {
  private producer: Producer | undefined;

  constructor(private readonly client: ClientOptions) {}

  async connect(): Promise<void> {
    const { Producer, compatibilityPartitioner } = await loadLibrary();
    let without = 0;
    this.producer = new Producer({
      ...baseOptions(this.client),
      retries: clientRetry.retries,
      retryDelay: (_client: unknown, _operation: string, attempt: number) => retryMs(attempt),
      partitioner: (message: unknown, key?: Buffer) =>
        key ? compatibilityPartitioner(message, key) : without++,
    });
    await this.over(this.producer.initIdempotentProducer({}));
  }

  send({ topic, messages, ...more }: ProducerRecord): Promise<unknown> {
    return this.sendBatch({ ...more, topicMessages: [{ topic, messages }] });
  }

  async sendBatch({ topicMessages = [], compression }: ProducerBatch): Promise<void> {
    const messages = topicMessages.flatMap(({ topic, messages: some }) =>
      some.map((message) => messageOf(topic, message)),
    );
    const isPacked = compression === kafkajs.CompressionTypes.GZIP;
    await this.over(
      this.producer!.send({
        messages,
        acks: -1,
        idempotent: true,
        repeatOnStaleMetadata: true,
        autocreateTopics: false,
        compression: isPacked ? 'gzip' : 'none',
      }),
    );
  }

  async disconnect(): Promise<void> {
    await this.producer?.close();
  }

  private async over<T>(work: Promise<T>): Promise<T> {
    try {
      return await work;
    } catch (error) {
      throw inKafkajs(error);
    }
  }
}

const bytesOf = (text: string | Buffer) => (typeof text === 'string' ? Buffer.from(text) : text);

function messageOf(topic: string, { key, value, headers, partition, timestamp }: Message) {
  return {
    topic,
    value: value === null ? null : bytesOf(value),
    ...(key === null || key === undefined ? {} : { key: bytesOf(key) }),
    ...(headers ? { headers: headersOf(headers) } : {}),
    ...(partition === undefined ? {} : { partition }),
    ...(timestamp === undefined ? {} : { timestamp: BigInt(timestamp) }),
  };
}

/** Each name is a buffer of its own, so a header may be repeated. */
function headersOf(headers: IHeaders): Map<Buffer, Buffer> {
  return new Map(
    Object.entries(headers).flatMap(([name, values]) =>
      [values]
        .flat()
        .flatMap((value) => (value === undefined ? [] : [[Buffer.from(name), bytesOf(value)] as const])),
    ),
  );
}
