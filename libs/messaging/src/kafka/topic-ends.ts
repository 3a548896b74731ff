import type { Admin } from 'kafkajs';
import { BusError } from '../bus-error.js';
import { describeTrouble } from './kafka-trouble.js';
import { KeptAdmin } from './kept-admin.js';
import type { KafkaConnection } from './open-kafka.js';
import type { Ends } from './start-of-reading.js';

/**
 * Reads the first and last offsets of each partition of a topic from the brokers, over one client that is created on
 * first use. After a failure the next request uses a new client, which refreshes its metadata.
 */
export class TopicEnds {
  private readonly admin: KeptAdmin;

  constructor(
    private readonly connection: KafkaConnection,
    /** Of the catalog. */
    private readonly topic: string,
  ) {
    this.admin = new KeptAdmin(connection);
  }

  /** @throws Error with the reason, if a partition is missing in the answer, or there is no answer in time. */
  async now(): Promise<Map<number, Ends>> {
    const topic = this.connection.topicName(this.topic);
    try {
      const ask = () => this.admin.ask((admin) => endsOf(admin, topic));
      const ends = await ask();
      if (ends) return ends;
      // The client keeps the number of partitions for minutes.
      await this.close();
      const again = await ask();
      if (again) return again;
      throw new BusError('partitions-changing', `the number of partitions of ${topic} is changing`);
    } catch (error) {
      throw describeTrouble(error, { doing: `asking for the end of ${topic}`, topics: [topic] });
    }
  }

  close(): Promise<void> {
    return this.admin.close();
  }
}

/** @returns undefined if the client does not know all partitions. */
async function endsOf(admin: Admin, topic: string): Promise<Map<number, Ends> | undefined> {
  const { topics } = await admin.fetchTopicMetadata({ topics: [topic] });
  const offsets = await admin.fetchTopicOffsets(topic);
  const partitions = topics.find(({ name }) => name === topic)?.partitions.length ?? 0;
  if (partitions !== offsets.length) return undefined;
  return new Map(
    offsets.map(({ partition, low, high }) => [partition, { low: BigInt(low), high: BigInt(high) }]),
  );
}
