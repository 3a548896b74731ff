import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Consumer } from 'kafkajs';
import { rolesFor } from '#agents/kubernetes';
import { type EventData } from '#contracts';
import { catalog, eventName, inboundTopics } from '#contracts/events';
import type { Outgoing } from '#event-store';
import { logMessages, Publisher } from '#messaging/kafka';
import { Chance } from '../../../test/support/chance.js';
import { kafkaBrokers, TestKafka } from '../../../test/support/kafka.js';
import { TestKubernetes, type Thing } from '../../../test/support/kubernetes.js';
import { Recorded } from '../../../test/support/recorded.js';
import { type RunningService, ServiceProcess } from '../../../test/support/service-process.js';
import { withConstants } from '../../../test/support/with-constants.js';

interface SentEvent {
  name: string;
  // biome-ignore lint/suspicious/noExplicitAny: any event of an agent
  data: any;
}

const partition = 'agents';
const leases = '/apis/coordination.k8s.io/v1/namespaces';
const rbac = '/apis/rbac.authorization.k8s.io/v1';

/** Agents in their own processes, with a real Kubernetes and a real Kafka; the test sends the messages of Curtail. */
describe('agents', () => {
  let kubernetes: TestKubernetes;
  let node: string;
  let namespace: string;
  /** The namespace of the lease: its pods are never evicted. */
  let own: string;
  let kafka: TestKafka;
  let curtail: Publisher<Outgoing>;
  let reader: Consumer;
  let sent: Recorded<SentEvent>;
  let agents: RunningService<'agent'>[];
  beforeAll(async () => {
    kubernetes = await TestKubernetes.open();
    node = await kubernetes.node();
    // No other user has any permission.
    const { cluster } = rolesFor(['observe', 'namespaces', 'enforce']);
    await grant('test-agents', cluster);
  });
  afterAll(async () => {
    await kubernetes?.remove(`${rbac}/clusterroles/test-agents`);
    await kubernetes?.remove(`${rbac}/clusterrolebindings/test-agents`);
    await kubernetes?.close();
  });
  beforeEach(async () => {
    namespace = await kubernetes.namespace({ quota: { 'requests.cpu': '100' } });
    own = await kubernetes.namespace();
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
  });

  async function grant(name: string, rules: object[], within?: string): Promise<void> {
    const [place, role] =
      within === undefined ? [rbac, 'ClusterRole'] : [`${rbac}/namespaces/${within}`, 'Role'];
    const plural = role.toLowerCase();
    await kubernetes.ask('POST', `${place}/${plural}s`, { metadata: { name }, rules });
    await kubernetes.ask('POST', `${place}/${plural}bindings`, {
      metadata: { name },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: role, name },
      subjects: [{ kind: 'User', name: 'nobody', apiGroup: 'rbac.authorization.k8s.io' }],
    });
  }
  async function start(more: Record<string, string> = {}): Promise<RunningService<'agent'>> {
    const agent = await ServiceProcess.start('agent', {
      KAFKA_BROKERS: kafkaBrokers().join(','),
      CURTAIL_KAFKA_TOPIC_PREFIX: kafka.prefix,
      ...withConstants({ kafkaSessionMilliseconds: 3000 }),
      CURTAIL_KUBECONFIG: await kubernetes.kubeconfig({ user: 'nobody' }),
      CURTAIL_AGENT_PARTITION: partition,
      CURTAIL_MODE: 'enforce',
      ...more,
    });
    agents.push(agent);
    return agent;
  }
  async function ask(pods: Thing[], attempt = 1): Promise<void> {
    await curtail.publish(
      pods.map(({ metadata: { name, uid, namespace: within } }) => {
        const data: EventData<'EvictionRequested'> = {
          partition,
          queue: `root.${within}`,
          application: 'a',
          allocation: `${within}/${name}`,
          uid,
          evictionId: `kill-${name}`,
          attempt,
          graceSeconds: 1,
          deadlineAt: '2100-01-01T00:00:00.000Z',
          reason: 'The quota was lowered.',
        };
        const { type, topic } = catalog.EvictionRequested;
        const place = { transactionId: '1', position: '1', traceparent: null, tracestate: null };
        const where = { stream: 's', version: 1, partition, key: data.queue, time: new Date() };
        return { ...place, ...where, id: randomUUID(), type, topic, data: JSON.stringify(data) };
      }),
    );
  }
  const answers = () => sent.all.filter(({ name }) => name === 'EvictionAnswered').map(({ data }) => data);
  const answeredBy = (pods: Thing[]) =>
    pods.filter(({ metadata }) => answers().some(({ evictionId }) => evictionId === `kill-${metadata.name}`));
  const arrived = (name: string) => sent.when((all) => all.some((one) => one.name === name));
  const namesOf = (pods: Thing[]) => pods.map(({ metadata }) => metadata.name).sort();
  const run = (count: number, more: { finalizers?: string[] } = {}) =>
    kubernetes.runningPods(
      namespace,
      Array.from({ length: count }, (_, index) => `pod-${index}`),
      { node, ...more },
    );

  it('may do what their roles allow, report a missing permission, and begin once it is granted', async () => {
    const agent = await start({ CURTAIL_AGENT_LEASE: `${own}/agent` });
    const line = await agent.logged(
      /Kubernetes does not allow ([^"]*?)\. An administrator can grant all rights that are needed with:/,
    );
    expect(line).toBe(
      ['get', 'create', 'update'].map((verb) => `${verb} leases.coordination.k8s.io in ${own}`).join('; '),
    );
    expect((await fetch(`${agent.url}/readyz`)).status).toBe(503);
    await grant('test-lease', rolesFor(['lease']).agent, own);
    await agent.logged(/This agent is active/);
    expect((await fetch(`${agent.url}/readyz`)).status).toBe(200);
  });

  it('that lose their lease to another holder evict no one more, until they have it again', async () => {
    await grant('test-lease', rolesFor(['lease']).agent, own);
    const pods = await run(2);
    const agent = await start({ CURTAIL_AGENT_LEASE: `${own}/agent` });
    await agent.logged(/This agent is active/);
    await arrived('InventoryListed');
    const holdBy = (holderIdentity: string) => {
      const renewTime = new Date().toISOString().replace('Z', '000Z');
      return kubernetes.patch(`${leases}/${own}/leases/agent`, { spec: { holderIdentity, renewTime } });
    };
    await holdBy('another');
    await agent.logged(/This agent is no longer active/);
    expect(await (await fetch(`${agent.url}/metrics`)).text()).toContain('curtail_agent_leads 0');
    await ask(pods.slice(0, 1));
    const activeBefore = agent.lines.all.filter((line) => line.includes('This agent is active')).length;
    expect(activeBefore).toBe(1);
    expect(answers()).toEqual([]);
    expect((await kubernetes.remaining(namespace)).sort()).toEqual(namesOf(pods));
    await holdBy('');
    await agent.lines.when((all) => all.filter((line) => line.includes('This agent is active')).length === 2);
    await sent.when(() => answeredBy(pods).length === 1);
    expect(answers()).toMatchObject([{ answer: 'accepted' }]);
    expect(await agent.stop()).toBe(0);
  });

  it('evict no one of their own namespace, whatever its name and whatever else is to be protected', async () => {
    await grant('test-lease', rolesFor(['lease']).agent, own);
    const [beside] = await kubernetes.runningPods(own, ['beside'], { node });
    const agent = await start({
      CURTAIL_AGENT_LEASE: `${own}/agent`,
      CURTAIL_KUBERNETES_PROTECTED: 'elsewhere',
    });
    await agent.logged(/This agent is active/);
    await ask([beside!]);
    await sent.when(() => answeredBy([beside!]).length === 1);
    expect(answers()).toMatchObject([{ answer: 'refused', retryable: false, code: 'protected' }]);
    expect(await kubernetes.remaining(own)).toEqual(['beside']);
  });

  it('of which two run at once: one is active, and when it dies the other continues with a greater sequence', async () => {
    await grant('test-lease', rolesFor(['lease']).agent, own);
    const lease = { CURTAIL_AGENT_LEASE: `${own}/agent` };
    const pods = await run(2);
    const first = await start(lease);
    await first.logged(/This agent is active/);
    await arrived('InventoryListed');
    const second = await start(lease);
    await second.logged(/on standby/);
    await ask(pods.slice(0, 1));
    await sent.when(() => answeredBy(pods).length === 1);
    expect(await (await fetch(`${second.url}/metrics`)).text()).toContain('curtail_agent_leads 0');
    const metrics = await (await fetch(`${first.url}/metrics`)).text();
    expect(metrics).toContain('curtail_agent_leads 1');
    expect(metrics).toContain('curtail_agent_evictions_total{answer="accepted",code=""} 1');

    const before = Math.max(...sent.all.map(({ data }) => data.sequence ?? 0));
    await first.kill();
    expect(second.output).not.toContain('This agent is active');
    await ask(pods.slice(1));
    await second.logged(/This agent is active/);
    await sent.when(() => answeredBy(pods).length === 2);
    const listings = sent.all
      .filter(({ name }) => name === 'InventoryListed')
      .map(({ data }) => data.sequence);
    expect(Math.max(...listings)).toBeGreaterThan(before);
    expect(await kubernetes.remaining(namespace)).toEqual([]);
    expect(await second.stop()).toBe(0);
    const { spec } = await kubernetes.ask(
      'GET',
      `/apis/coordination.k8s.io/v1/namespaces/${own}/leases/agent`,
    );
    expect(spec.holderIdentity ?? '').toBe('');
  });

  it('of which the active one is frozen for longer than its lease: no pod is evicted twice, and no other pod', async () => {
    await grant('test-lease', rolesFor(['lease']).agent, own);
    const lease = { CURTAIL_AGENT_LEASE: `${own}/agent` };
    // Held, so that a second request finds them leaving and not gone.
    const pods = await run(16, { finalizers: ['test.curtail.io/hold'] });
    const victims = pods.slice(0, 12);
    const first = await start(lease);
    await first.logged(/This agent is active/);
    await arrived('InventoryListed');
    const second = await start(lease);
    await second.logged(/on standby/);
    await ask(victims);
    await sent.when(() => answeredBy(victims).length > 0);
    first.freeze();
    await second.logged(/This agent is active/);
    await ask(victims, 2);
    await sent.when(() => answers().filter(({ attempt }) => attempt === 2).length >= victims.length);
    first.thaw();
    await first.logged(/This agent is no longer active/);
    await ask(victims, 3);
    await sent.when(() => answers().filter(({ attempt }) => attempt === 3).length >= victims.length);
    expect((await kubernetes.accepted(namespace)).sort()).toEqual(namesOf(victims));
    expect((await kubernetes.remaining(namespace)).sort()).toEqual(namesOf(pods.slice(12)));
  });

  it('are killed at random: in the end the victims are gone, each evicted once, and all others still run', async () => {
    const seed = randomBytes(4).readUInt32BE();
    console.log(`seed ${seed}`);
    const chance = new Chance(seed);
    const pods = await run(16);
    const victims = pods.filter((_, index) => index % 2 === 0);
    let agent = await start();
    await arrived('InventoryListed');
    await ask(victims);
    for (let round = 2; round <= 4; round++) {
      const enough = Math.floor(chance.between(0, victims.length));
      await sent.when(() => answeredBy(victims).length >= enough);
      await agent.kill();
      agent = await start();
      const open = victims.filter((pod) => !answeredBy(victims).includes(pod));
      if (open.length > 0) await ask(open, round);
    }
    await sent.when(() => answeredBy(victims).length === victims.length);
    const others = pods.filter((pod) => !victims.includes(pod)).map(({ metadata }) => metadata.name);
    await kubernetes.until('the victims to be gone', async () => {
      const there = await kubernetes.pods(namespace);
      return there.length === others.length;
    });
    expect((await kubernetes.remaining(namespace)).sort()).toEqual(others.sort());
    const evicted = (await kubernetes.events(namespace))
      .filter(({ reason }) => reason === 'Evicted')
      .map(({ on }) => on);
    expect(evicted).toEqual([...new Set(evicted)]);
    expect((await kubernetes.accepted(namespace)).sort()).toEqual(namesOf(victims));
    expect(answers().filter(({ answer }) => answer === 'refused')).toEqual([]);
  });
});
