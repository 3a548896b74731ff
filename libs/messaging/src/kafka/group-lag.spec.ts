import { describe, expect, it } from '@jest/globals';
import { GroupLag } from './group-lag.js';
import { kafkajs } from './kafkajs.js';
import type { KafkaConnection } from './open-kafka.js';

const refusal = (type: string) => new kafkajs.KafkaJSProtocolError({ message: 'no', type, code: 6 } as never);

/** Answers that a group committed 3 of 10 messages, after this many refusals. */
function connectionWith(refusals: Error[]): { connection: KafkaConnection; clients: () => number } {
  let clients = 0;
  const admin = () => {
    clients++;
    return {
      connect: async () => {},
      disconnect: async () => {},
      fetchTopicOffsets: async () => {
        const next = refusals.shift();
        if (next) throw next;
        return [{ partition: 0, high: '10', low: '0' }];
      },
      fetchOffsets: async () => [{ topic: 'p.t', partitions: [{ partition: 0, offset: '3' }] }],
    };
  };
  const topicNames = (topic: string) => [`p.${topic}`];
  const connection = { admin, topicNames, groupName: (name: string) => name };
  return { connection: connection as unknown as KafkaConnection, clients: () => clients };
}
const lagOver = (connection: KafkaConnection) =>
  new GroupLag(connection).of([{ name: 'one', topics: ['t'] }]);

describe('the lag of a group', () => {
  it('is read again, by a new client, while a partition is moving to another broker', async () => {
    const { connection, clients } = connectionWith([
      refusal('NOT_LEADER_FOR_PARTITION'),
      refusal('LEADER_NOT_AVAILABLE'),
    ]);
    expect(await lagOver(connection)).toEqual([7]);
    expect(clients()).toBe(3);
  });

  it.each([
    ['again and again', Array.from({ length: 6 }, () => refusal('NOT_LEADER_FOR_PARTITION')), 6],
    ['for another reason', [refusal('TOPIC_AUTHORIZATION_FAILED')], 1],
  ])('is not known when the broker refuses it %s', async (_, refusals, tries) => {
    const { connection, clients } = connectionWith(refusals);
    await expect(lagOver(connection)).rejects.toThrow('no');
    expect(clients()).toBe(tries);
  });
});
