import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { readSettings } from '#platform';
import { curtailSettings } from '#runtime';
import { isYarnBuilt } from '../../scripts/infra/index.js';
import { Chance } from '../support/chance.js';
import { EmbeddedSystem } from '../support/embedded-system.js';
import { onOwnKafkaAndRedis } from '../support/service-group.js';
import { type RunningService, ServiceProcess } from '../support/service-process.js';
import { TestPartition } from '../support/test-partition.js';
import { withConstants } from '../support/with-constants.js';
import { type TestApp, TestYarn, xmlOf } from '../support/yarn.js';

/** Reported as skipped without YARN. */
const onYarn = isYarnBuilt() ? describe : describe.skip;

const graceSeconds = 8;
const sessionMs = 3000;
/** Of 1024 MB each, beside a master of 256 MB; 20 % of two nodes, 40,960 MB, are 8192 MB. */
const leftTasks = 7;
const quota = (percent: number) => ({ 'root.dev': { 'maximum-capacity': percent } });

type Agent = RunningService<'agent'>;

/** Agents in processes of their own over Kafka, and what the manager's own request log shows of their faults. */
onYarn('faults of agents of YARN', () => {
  let yarn: TestYarn;
  let system: EmbeddedSystem;
  let curtail: TestPartition;
  let folder: string;
  let shape: Record<string, string>;
  let agents: Agent[];
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'curtail-test-yarn-'));
    await writeFile(
      join(folder, 'settings.xml'),
      xmlOf({ 'yarn.scheduler.capacity.root.quota-preemption-delay': '1s' }),
    );
    yarn = await TestYarn.start({
      queues: {
        'root.queues': 'prod,dev',
        'root.acl_submit_applications': '*',
        'root.prod.capacity': 90,
        'root.dev.capacity': 10,
        'root.dev.maximum-capacity': 100,
        'root.dev.user-limit-factor': 10,
        'maximum-am-resource-percent': 0.5,
        'resource-calculator': 'org.apache.hadoop.yarn.util.resource.DefaultResourceCalculator',
        'per-node-heartbeat.maximum-offswitch-assignments': 100,
      },
      site: { 'yarn.nodemanager.resource.memory-mb': 20_480 },
    });
    shape = onOwnKafkaAndRedis();
    const { kafkaBrokers, kafkaTopicPrefix, redisUrl } = readSettings(curtailSettings, shape);
    system = await EmbeddedSystem.start({
      ...{ kafkaBrokers, kafkaTopicPrefix, redisUrl },
      ...{ cluster: 'inventory', defaultMode: 'enforce', graceSeconds, reconcileSeconds: 1 },
      // So that faults come in the middle of a run.
      victimsPerSecond: 1,
    });
    curtail = new TestPartition(system, 'default');
  });
  beforeEach(() => {
    agents = [];
  });
  afterEach(async () => {
    await yarn.killAll();
    await yarn.setQueues(quota(100));
    await system.until('no container to be known', async () => (await curtail.remaining()).length === 0);
    await Promise.all(agents.map((agent) => agent.kill()));
  });
  afterAll(async () => {
    await system?.stop();
    await yarn?.remove();
    await rm(folder, { recursive: true, force: true });
  });

  const start = async (): Promise<Agent> => {
    const agent = await ServiceProcess.start('agent', {
      ...shape,
      ...withConstants({ kafkaSessionMilliseconds: sessionMs }),
      CURTAIL_MODE: 'enforce',
      CURTAIL_AGENT_CLUSTER: 'yarn',
      CURTAIL_AGENT_PARTITION: 'default',
      CURTAIL_YARN_URL: yarn.url,
      CURTAIL_YARN_USER: 'curtail',
      CURTAIL_YARN_SETTINGS: join(folder, 'settings.xml'),
    });
    agents.push(agent);
    return agent;
  };
  const isActive = ({ lines }: Agent) => {
    const count = (text: string) => lines.all.filter((line) => line.includes(text)).length;
    return count('This agent is active') > count('no longer active.');
  };
  /** An application whose containers Curtail knows. */
  const filled = async (of: Partial<TestApp> & { count: number }) => {
    const app = await yarn.submit({ user: 'alice', queue: 'root.dev', tasks: `${of.count}x1024:1`, ...of });
    await yarn.runs(app, of.count + 1);
    const containers = await yarn.containers(app);
    await system.until('the containers to be known', async () => {
      return (await curtail.remaining('root.dev')).join() === containers.join();
    });
    return app;
  };
  const isOf = (app: string) => (container: string) => container.includes(app.slice('application_'.length));
  /** The signals for each container of an application, in their order. */
  const signalsOf = async (app: string) => {
    const signals = new Map<string, string[]>();
    for (const { container, signal } of await yarn.signals()) {
      if (isOf(app)(container)) signals.set(container, [...(signals.get(container) ?? []), signal]);
    }
    return signals;
  };
  const evicted = async (app: string) =>
    (await curtail.events('VictimEvicted')).map(({ data }) => data.allocation).filter(isOf(app));

  it('a container that ignores SIGTERM is killed by the next agent where one was killed (-9) within its notice', async () => {
    const first = await start();
    const app = await filled({ count: leftTasks + 2, stopsAfterMs: -1 });
    await yarn.setQueues(quota(20));
    await system.until('both evictions', async () => (await evicted(app)).length === 2);
    await first.kill();
    expect([...(await signalsOf(app)).values()]).toEqual([['GRACEFUL_SHUTDOWN'], ['GRACEFUL_SHUTDOWN']]);
    await start();
    await yarn.runs(app, leftTasks + 1);
    const signals = await signalsOf(app);
    expect([...signals.keys()].sort()).toEqual((await evicted(app)).sort());
    for (const own of signals.values()) expect(own).toEqual(['GRACEFUL_SHUTDOWN', 'FORCEFUL_SHUTDOWN']);
  });

  it('a lost signal is sent again once a fresh list still shows the container, and no other one is', async () => {
    await start();
    const app = await filled({ count: leftTasks + 1, losesSignals: 2 });
    await yarn.setQueues(quota(20));
    await yarn.runs(app, leftTasks + 1);
    const signals = await signalsOf(app);
    // SIGTERM is lost, and so is the SIGKILL after the notice: it is repeated.
    const [victim] = await evicted(app);
    expect([...signals]).toEqual([[victim, ['GRACEFUL_SHUTDOWN', 'FORCEFUL_SHUTDOWN', 'FORCEFUL_SHUTDOWN']]]);
  });

  it('agents that are killed at random moments, or frozen for longer than their lease, end exactly the victims', async () => {
    const seed = Number(process.env.CURTAIL_TEST_SEED ?? Date.now() % 100_000);
    console.error(`== CURTAIL_TEST_SEED=${seed}`);
    const chance = new Chance(seed);
    const victims = 20;
    await Promise.all([start(), start()]);
    const app = await filled({ count: leftTasks + victims, stopsAfterMs: 1500 });
    await yarn.setQueues(quota(20));
    for (let fault = 0; fault < 4; fault++) {
      const before = (await evicted(app)).length;
      await system.until('some more evictions', async () => {
        return (
          (await evicted(app)).length >= Math.min(victims, before + 1 + Math.floor(chance.between(0, 4)))
        );
      });
      const active = agents.find((agent) => !agent.hasEnded && isActive(agent));
      if (active === undefined) continue;
      const others = agents.filter((agent) => agent !== active && !agent.hasEnded);
      const takenOver = () => Promise.race(others.map((other) => other.lines.when(() => isActive(other))));
      if (chance.hits(0.5)) {
        await active.kill();
        await takenOver();
        await start();
      } else {
        active.freeze();
        await takenOver();
        active.thaw();
        await active.lines.when(() => !isActive(active));
      }
    }
    await yarn.runs(app, leftTasks + 1);
    const requested = (await curtail.events('EvictionRequested')).map(({ data }) => data.allocation);
    const signals = await signalsOf(app);
    expect(signals.size).toBe(victims);
    const left = await yarn.containers(app);
    expect(left.filter((container) => signals.has(container))).toEqual([]);
    for (const [container, own] of signals) {
      // None is signalled twice but where Curtail had no answer, and asked again. They end before their notice does.
      const attempts = requested.filter((one) => one === container).length;
      expect({ container, own }).toEqual({
        container,
        own: own.map(() => 'GRACEFUL_SHUTDOWN'),
      });
      expect(own.length).toBeLessThanOrEqual(attempts);
    }
    await system.until('the same containers to be known', async () => {
      return (await curtail.remaining('root.dev')).join() === left.join();
    });
  });
});
