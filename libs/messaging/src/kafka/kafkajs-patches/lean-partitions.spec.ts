import { createRequire } from 'node:module';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { kafkajs } from '../kafkajs.js';
import { groupByPartition, murmur2, partitionsOfKafkajs } from './lean-partitions.js';

const load = createRequire(import.meta.url);
const key = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes)),
);

describe('partitions', () => {
  it('are those of the client itself', () => {
    fc.assert(
      fc.property(key, (key) => {
        expect(murmur2(key)).toBe(partitionsOfKafkajs.hash(key));
      }),
      { numRuns: 2_000, seed: 1 },
    );
  });

  it('are those of the clients in Java', () => {
    // UtilsTest.testMurmur2 of Kafka
    const known = { '21': -973932308, foobar: -790332482, 'a-little-bit-long-string': -985981536 };
    for (const [key, hash] of Object.entries(known)) expect([key, murmur2(key)]).toEqual([key, hash]);
  });

  it('get the messages in the same order as from the client itself', () => {
    const partitioner = ({ message }: { message: number }) => message % 3;
    for (const partitionMetadata of [[], [{}, {}, {}]]) {
      const of = { topic: 't', partitionMetadata, messages: [7, 4, 3, 0, 1, 9], partitioner };
      expect(groupByPartition(of)).toEqual(partitionsOfKafkajs.group(of));
    }
  });

  it('are chosen so by the client that Curtail uses', () => {
    expect(load('kafkajs/src/producer/groupMessagesPerPartition.js')).toBe(groupByPartition);
    const choose = kafkajs.Partitioners.DefaultPartitioner();
    const hashes = load('kafkajs/src/producer/partitioners/default/murmur2.js');
    expect(hashes).toBe(murmur2);
    const partitionMetadata = Array.from({ length: 6 }, (_, partitionId) => ({ partitionId, leader: 1 }));
    const partition = choose({
      topic: 't',
      partitionMetadata: partitionMetadata as never,
      message: { key: 'foobar', value: '' },
    });
    expect(partition).toBe((-790332482 & 0x7fffffff) % 6);
  });
});
