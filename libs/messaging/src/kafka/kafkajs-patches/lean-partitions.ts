import { createRequire } from 'node:module';
import { exportFrom } from './lean-records.js';

/*
 * kafkajs 2.2 copies all messages of a partition for each one that it adds, and hashes the key of each with numbers of 64 bits. Here a
 * message is added to its list, and hashed with those of 32 bits; the partitions are the same (lean-partitions.spec.ts), those of all clients.
 *
 * https://github.com/apache/kafka/blob/4.0.0/clients/src/main/java/org/apache/kafka/common/utils/Utils.java#L497
 */

export interface SentTo<M> {
  topic: string;
  partitionMetadata: readonly unknown[];
  messages: readonly M[];
  partitioner: (of: { topic: string; partitionMetadata: readonly unknown[]; message: M }) => number;
}
type GroupByPartition = <M>(of: SentTo<M>) => Record<number, M[]>;
type Hash = (key: Buffer | string) => number;

const load = createRequire(import.meta.url);
const places = {
  group: 'kafkajs/src/producer/groupMessagesPerPartition.js',
  hash: 'kafkajs/src/producer/partitioners/default/murmur2.js',
};

/** The default of kafkajs. */
export const partitionsOfKafkajs = {
  group: load(places.group) as GroupByPartition,
  hash: load(places.hash) as Hash,
};

/** For a client that is not loaded yet: it keeps the functions that it finds then. */
export function leanPartitions(): void {
  exportFrom(places.group, groupByPartition);
  exportFrom(places.hash, murmur2);
}

export const groupByPartition: GroupByPartition = ({ topic, partitionMetadata, messages, partitioner }) => {
  const groups: Record<number, (typeof messages)[number][]> = {};
  if (partitionMetadata.length === 0) return groups;
  for (const message of messages) {
    const partition = partitioner({ topic, partitionMetadata, message });
    groups[partition] ??= [];
    groups[partition].push(message);
  }
  return groups;
};

const mixer = 0x5bd1e995;

export const murmur2: Hash = (key) => {
  const data = Buffer.isBuffer(key) ? key : Buffer.from(String(key));
  const { length } = data;
  const rest = length & ~3;
  let hash = 0x9747b28c ^ length;
  for (let at = 0; at < rest; at += 4) {
    let four = Math.imul(data.readInt32LE(at), mixer);
    four = Math.imul(four ^ (four >>> 24), mixer);
    hash = Math.imul(hash, mixer) ^ four;
  }
  if (rest < length) {
    for (let at = length - 1; at >= rest; at--) hash ^= data[at]! << (8 * (at - rest));
    hash = Math.imul(hash, mixer);
  }
  hash = Math.imul(hash ^ (hash >>> 13), mixer);
  return hash ^ (hash >>> 15);
};
