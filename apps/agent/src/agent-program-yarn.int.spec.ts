import { randomBytes, randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Consumer } from 'kafkajs';
import type { EventData } from '#contracts';
import { catalog, eventName, inboundTopics } from '#contracts/events';
import type { Outgoing } from '#event-store';
import { logMessages, Publisher } from '#messaging/kafka';
import { kafkaBrokers, TestKafka } from '../../../test/support/kafka.js';
import { PlayedManager } from '../../../test/support/played-manager.js';
import { Recorded } from '../../../test/support/recorded.js';
import { type RunningService, ServiceProcess } from '../../../test/support/service-process.js';
import { withConstants } from '../../../test/support/with-constants.js';

const partition = 'yarn';

/** Agents of YARN in their own processes, with a manager that is played and a real Kafka; the test sends the messages of Curtail. */
describe('agents of YARN', () => {
  let manager: PlayedManager;
  let kafka: TestKafka;
  let curtail: Publisher<Outgoing>;
  let reader: Consumer;
  // biome-ignore lint/suspicious/noExplicitAny: any event of an agent
  let sent: Recorded<{ name: string; data: any }>;
  let agents: RunningService<'agent'>[];
  beforeEach(async () => {
    manager = await PlayedManager.start();
    kafka = new TestKafka(`test-${randomBytes(4).toString('hex')}.`);
    await kafka.topics.ready();
    curtail = new Publisher(kafka.connection, logMessages);
    [sent, agents] = [new Recorded(), []];
    reader = kafka.reader(kafka.connection.groupName('reader'));
    await reader.connect();
    const topics = Object.values(inboundTopics).map(kafka.connection.topicName);
    await reader.subscribe({ topics, fromBeginning: true });
    await reader.run({
      eachMessage: async ({ message: { headers, value } }) => {
        const name = eventName(headers?.ce_type?.toString() ?? '') ?? '';
        sent.add({ name, data: JSON.parse(value?.toString() ?? '') });
      },
    });
  });
  afterEach(async () => {
    await Promise.all(agents.map((agent) => agent.kill()));
    await reader.disconnect();
    await curtail.close();
    await kafka.close();
    await manager.stop();
  });

  async function start(): Promise<RunningService<'agent'>> {
    const agent = await ServiceProcess.start('agent', {
      KAFKA_BROKERS: kafkaBrokers().join(','),
      CURTAIL_KAFKA_TOPIC_PREFIX: kafka.prefix,
      ...withConstants({ kafkaSessionMilliseconds: 3000 }),
      CURTAIL_AGENT_CLUSTER: 'yarn',
      CURTAIL_YARN_URL: manager.url,
      CURTAIL_YARN_USER: 'curtail',
      CURTAIL_AGENT_PARTITION: partition,
      CURTAIL_MODE: 'enforce',
    });
    agents.push(agent);
    return agent;
  }
  async function ask(containers: string[], attempt = 1): Promise<void> {
    await curtail.publish(
      containers.map((allocation) => {
        const data: EventData<'EvictionRequested'> = {
          ...{ partition, queue: 'root.prod', application: manager.app, allocation, uid: allocation },
          ...{ evictionId: `kill-${allocation}`, attempt, graceSeconds: 30 },
          ...{ deadlineAt: '2100-01-01T00:00:00.000Z', reason: 'The quota was lowered.' },
        };
        const { type, topic } = catalog.EvictionRequested;
        const place = { transactionId: '1', position: '1', traceparent: null, tracestate: null };
        const where = { stream: 's', version: 1, partition, key: data.queue, time: new Date() };
        return { ...place, ...where, id: randomUUID(), type, topic, data: JSON.stringify(data) };
      }),
    );
  }
  const answers = () => sent.all.filter(({ name }) => name === 'EvictionAnswered').map(({ data }) => data);
  const answered = (container: string) =>
    sent.when(() => answers().some(({ evictionId }) => evictionId === `kill-${container}`));
  const sequences = () => sent.all.filter(({ name }) => name === 'InventoryListed').map(({ data }) => data);

  it('report a whole listing and the configuration, evict on request, and answer', async () => {
    const agent = await start();
    await sent.when((all) => all.some(({ name }) => name === 'InventoryListed'));
    await agent.logged(/Connected to YARN/);
    expect((await fetch(`${agent.url}/readyz`)).status).toBe(200);
    expect(sequences()[0]).toMatchObject({ partition, allocations: { length: 4 }, last: true });
    await sent.when((all) => all.some(({ name }) => name === 'ConfigSubmitted'));
    const [master = '', task = ''] = manager.containers;
    await ask([task, master]);
    await answered(task);
    await answered(master);
    expect(answers()).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ evictionId: `kill-${task}`, answer: 'accepted' }),
        expect.objectContaining({ evictionId: `kill-${master}`, answer: 'refused', code: 'protected' }),
      ]),
    );
    expect(manager.signals).toEqual([`${task} GRACEFUL_SHUTDOWN`]);
    await sent.when((all) => all.some(({ name }) => name === 'AllocationReleased'));
    const metrics = await (await fetch(`${agent.url}/metrics`)).text();
    expect(metrics).toContain('curtail_agent_leads 1');
    expect(await agent.stop()).toBe(0);
  });

  it('runs twice with one active agent; if that one freezes or dies, the other takes over, and no container gets a signal twice', async () => {
    const one = await start();
    await one.logged(/This agent is active/);
    await sent.when((all) => all.some(({ name }) => name === 'InventoryListed'));
    const other = await start();
    const terms = ({ lines }: RunningService<'agent'>) => ({
      begun: lines.all.filter((line) => line.includes('This agent is active')).length,
      ended: lines.all.filter((line) => line.includes('no longer active.')).length,
    });
    const isActive = (agent: RunningService<'agent'>) => terms(agent).begun > terms(agent).ended;
    await other.logged(/on standby/);
    // Kafka rebalances the group when the second agent joins: the first term ends, and another one begins.
    await one.lines.when(() => terms(one).ended === 1);
    await Promise.race([one, other].map((agent) => agent.lines.when(() => isActive(agent))));
    const [active, standby] = isActive(one) ? [one, other] : [other, one];
    const before = Math.max(...sequences().map(({ sequence }) => sequence));
    const [, first = '', second = ''] = manager.containers;
    active.freeze();
    await standby.lines.when(() => isActive(standby));
    await ask([first]);
    await answered(first);
    active.thaw();
    await active.lines.when(() => !isActive(active));
    await ask([second]);
    await answered(second);
    const after = sequences().map(({ sequence }) => sequence);
    expect(Math.max(...after)).toBeGreaterThan(before);
    expect(manager.signals).toEqual([`${first} GRACEFUL_SHUTDOWN`, `${second} GRACEFUL_SHUTDOWN`]);
  });

  it('wait for a manager that is down, are not ready meanwhile, and say so', async () => {
    manager.instead.set('/info', (_request, response) => void response.destroy());
    const agent = await start();
    await agent.logged(/Could not read YARN; nothing is concluded from that/);
    const ready = await fetch(`${agent.url}/readyz`);
    expect(ready.status).toBe(503);
    expect(await ready.text()).toContain('yarn');
    expect(sent.all).toEqual([]);
    manager.instead.clear();
    await sent.when((all) => all.some(({ name }) => name === 'InventoryListed'));
  });
});
