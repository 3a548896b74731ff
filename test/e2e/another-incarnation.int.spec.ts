import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Consumer, Producer } from 'kafkajs';
import { readSettings } from '#platform';
import { curtailSettings } from '#runtime';
import { cloudEvent, received } from '../../examples/platform-service/typescript/cloud-events.js';
import { EmbeddedSystem } from '../support/embedded-system.js';
import { TestKafka } from '../support/kafka.js';
import { onOwnKafkaAndRedis } from '../support/service-group.js';
import { TestPartition } from '../support/test-partition.js';

const gb = 1_000_000_000;

/**
 * A scheduler started the victim again under its id just before it was asked to evict it, and answers so. Its report of the new
 * incarnation comes long after the run has ended.
 */
describe('a victim that another incarnation has replaced', () => {
  const queue = 'root.a';
  let system: EmbeddedSystem;
  let partition: TestPartition;
  let kafka: TestKafka;
  let producer: Producer;
  let requests: Consumer;
  let sequence = 0;

  beforeAll(async () => {
    const shape = onOwnKafkaAndRedis();
    const { kafkaBrokers, kafkaTopicPrefix, redisUrl } = readSettings(curtailSettings, shape);
    system = await EmbeddedSystem.start({
      ...{ kafkaBrokers, kafkaTopicPrefix, redisUrl },
      ...{ cluster: 'inventory', inventoryStaleSeconds: 600, reconcileSeconds: 1 },
    });
    partition = new TestPartition(system, 'default');
    kafka = new TestKafka(kafkaTopicPrefix!);
    producer = kafka.connection.producer();
    await producer.connect();
    requests = kafka.connection.consumer(`${kafka.prefix}scheduler`);
    await requests.connect();
    await requests.subscribe({ topics: [`${kafka.prefix}curtail.evictions.requests`], fromBeginning: true });
    await requests.run({
      eachMessage: async ({ message }) => {
        const event = received<{ evictionId: string; attempt: number; allocation: string; uid: string }>(
          message,
        );
        const { evictionId, attempt, allocation, uid } = event.data();
        const answer = { evictionId, attempt, answer: 'other-incarnation', uid: `${allocation}-again` };
        expect(uid).toBe(allocation);
        await send('curtail.evictions.answers', 'eviction.answered', answer);
      },
    });
  });
  afterAll(async () => {
    await requests?.disconnect();
    await producer?.disconnect();
    await system?.stop();
    await kafka?.close();
  });

  const send = (topic: string, type: string, data: object) =>
    producer.send({
      topic: kafka.prefix + topic,
      messages: [cloudEvent('/test', `io.curtail.${type}.v1`, queue, data)],
    });
  const report = (type: string, data: object) =>
    send('curtail.inventory', type, { partition: 'default', sequence: ++sequence, ...data });
  const task = (id: string, uid: string, minute: number, memory = 10 * gb) => ({
    ...{ id, uid, application: 'app', queue, resources: { memory } },
    startedAt: new Date(Date.UTC(2026, 0, 1, 0, minute)).toISOString(),
  });
  const used = async () => (await system.cluster.usage('default', [queue])).get(queue)?.usage.memory ?? 0;

  it('is still used: the run fell short, and another one follows it', async () => {
    await report('inventory.listed', {
      ...{ page: 1, last: true },
      allocations: [task('old', 'old', 1), task('young', 'young', 2)],
    });
    await system.until('the listing', async () => (await used()) === 20 * gb || undefined);
    await partition.configure({ a: { max: { memory: 10 * gb }, delay: '20ms' } });
    const { data } = await partition.ended(queue);
    expect(data).toMatchObject({
      ...{ outcome: 'impossible', evicted: 0, gone: 1, freed: {}, shortfall: { memory: 10 * gb } },
      message: expect.stringContaining('its only victim was replaced by another incarnation'),
      blocked: [{ code: 'other-incarnation', victims: 1 }],
    });
    const next = await partition.event('EnforcementScheduled', queue, 2);
    expect(next.data).toMatchObject({
      cause: 'unblocked',
      unblocked: { after: data.enforcement, attempt: 1, code: 'other-incarnation' },
    });
    expect(await used()).toBe(20 * gb);

    await report('allocation.started', task('young', 'young-again', 3, 4 * gb));
    await system.until('the report of the new one', async () => (await used()) === 14 * gb || undefined);
  });
});
