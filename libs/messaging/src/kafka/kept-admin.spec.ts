import { describe, expect, it } from '@jest/globals';
import type { ITopicMetadata } from 'kafkajs';
import { KeptAdmin, partitionsOfTopics } from './kept-admin.js';
import type { KafkaConnection } from './open-kafka.js';

/** A client whose first answers are what kafkajs makes of a refusal: `cluster.metadata` has resolved to null. */
function adminWith(refusals: number, clients: { left: number }) {
  const metadata: { topicMetadata: ITopicMetadata[] } = { topicMetadata: [{ name: 't', partitions: [] }] };
  const admin = () => ({
    connect: async () => {},
    disconnect: async () => {
      clients.left++;
    },
    fetchTopicMetadata: async () => {
      const answer = (refusals-- > 0 ? null : metadata) as typeof metadata;
      return { topics: answer.topicMetadata };
    },
  });
  return new KeptAdmin({ admin } as unknown as KafkaConnection, [1, 1]);
}

describe('a request about topics whose partitions have no leader yet', () => {
  it('is made again with a new client', async () => {
    const clients = { left: 0 };
    const topics = await adminWith(2, clients).askOfListed((admin) => partitionsOfTopics(admin, ['t']));
    expect(topics.map(({ name }) => name)).toEqual(['t']);
    expect(clients.left).toBe(2);
  });

  it('names the topics after the last attempt', async () => {
    const asked = adminWith(3, { left: 0 }).ask((admin) => partitionsOfTopics(admin, ['t', 'u']));
    await expect(asked).rejects.toMatchObject({
      type: 'LEADER_NOT_AVAILABLE',
      message: 'a partition of t, u has no leader yet',
    });
  });
});
