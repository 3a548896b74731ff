import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Producer } from 'kafkajs';
import { readSettings } from '#platform';
import { curtailSettings } from '#runtime';
import { cloudEvent } from '../../examples/platform-service/typescript/cloud-events.js';
import { EmbeddedSystem } from '../support/embedded-system.js';
import { TestKafka } from '../support/kafka.js';
import { onOwnKafkaAndRedis } from '../support/service-group.js';
import { TestPartition } from '../support/test-partition.js';

const gb = 1_000_000_000;

/* A scheduler goes silent while a run waits for its approval, and is silent at the deadline of the run. */
describe('a queue whose cluster was unknown until the deadline of its run', () => {
  const queue = 'root.a';
  let system: EmbeddedSystem;
  let partition: TestPartition;
  let kafka: TestKafka;
  let producer: Producer;
  let sequence = 0;
  let again: { stop(): Promise<void> } | undefined;

  beforeAll(async () => {
    const shape = onOwnKafkaAndRedis();
    const { kafkaBrokers, kafkaTopicPrefix, redisUrl } = readSettings(curtailSettings, shape);
    system = await EmbeddedSystem.start({
      ...{ kafkaBrokers, kafkaTopicPrefix, redisUrl },
      ...{ cluster: 'inventory', inventoryStaleSeconds: 5, reconcileSeconds: 1, deadlineSeconds: 30 },
      ...{ approveAboveVictims: 0 },
    });
    partition = new TestPartition(system, 'default');
    kafka = new TestKafka(kafkaTopicPrefix!);
    producer = kafka.connection.producer();
    await producer.connect();
  });
  afterAll(async () => {
    await again?.stop();
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
  const task = (id: string, minute: number) => ({
    ...{ id, uid: id, application: 'app', queue, resources: { memory: 10 * gb } },
    startedAt: new Date(Date.UTC(2026, 0, 1, 0, minute)).toISOString(),
  });

  /** Confirms one time after the other what it has reported. */
  const talk = () => {
    let talks = true;
    const done = (async () => {
      for (; talks; await delay(500)) await report('inventory.confirmed', {});
    })();
    return {
      stop: () => {
        talks = false;
        return done;
      },
    };
  };

  it('gets another run, which starts once the cluster is known again', async () => {
    await report('inventory.listed', {
      page: 1,
      last: true,
      allocations: [task('old', 1), task('young', 2)],
    });
    await system.until('the listing', async () => {
      const used = (await system.cluster.usage('default', [queue])).get(queue)?.usage.memory;
      return used === 20 * gb || undefined;
    });
    const talking = talk();
    await partition.configure({ a: { max: { memory: 10 * gb }, delay: '20ms' } });
    const opened = await partition.event('EnforcementOpened', queue);
    expect(opened.data.needsApproval).toBe(true);
    await talking.stop();
    await system.until('the silence', () =>
      system.cluster.assertKnown!('default').then(
        () => undefined,
        () => true,
      ),
    );
    const { enforcement } = opened.data;
    expect((await system.request('POST', `/v1/enforcements/${enforcement}/approve`, {})).status).toBe(200);

    const end = await partition.ended(queue);
    expect(end.data).toMatchObject({
      ...{ enforcement, outcome: 'deadline', evicted: 0, spared: 1 },
      blocked: [
        {
          code: 'cluster-unknown',
          victims: 1,
          message: expect.stringContaining('while the cluster was unknown: '),
        },
      ],
    });
    const next = await partition.event('EnforcementScheduled', queue, 2);
    expect(next.data).toMatchObject({
      cause: 'unblocked',
      unblocked: { after: enforcement, attempt: 1, code: 'cluster-unknown' },
    });
    expect(Date.parse(next.data.dueAt)).toBe(new Date(end.time).getTime() + 60_000);

    again = talk();
    await system.until('the cluster', () =>
      system.cluster.assertKnown!('default').then(
        () => true,
        () => undefined,
      ),
    );
    // Instead of waiting for the pause.
    const asked = await system.request('POST', `/v1/queues/${queue}/enforce`, { atOnce: true });
    expect(asked.status).toBe(200);
    const started = await partition.event('EnforcementStarted', queue, 2);
    expect(started.data.enforcement).toBe(next.data.enforcement);
  });
});
