import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { yarnChecks } from '../../apps/agent/src/doctor/yarn-doctor.js';
import { curtail as curtailCommand } from '../../apps/curtail/testing/test-terminal.js';
import { isYarnBuilt } from '../../scripts/infra/index.js';
import { EmbeddedSystem } from '../support/embedded-system.js';
import { TestPartition } from '../support/test-partition.js';
import { TestYarn, xmlOf } from '../support/yarn.js';

const preemption = 'yarn.resourcemanager.monitor.capacity.preemption.';
const inQueue = `${preemption}intra-queue-preemption.`;
/** Two nodes with room for 100 containers of 1 GiB and for two masters. */
const nodeMegabytes = 51_456;

const unset = { yarnTokenFile: undefined, yarnCa: undefined };

/** Reported as skipped without YARN. */
const onYarn = isYarnBuilt() ? describe : describe.skip;
const lacking = isYarnBuilt() ? '' : ' (not run: there is no YARN; npm run infra -- yarn)';

/** Both policies on a real ResourceManager, with the numbers of the design document. */
onYarn(`YARN${lacking}`, () => {
  let yarn: TestYarn;
  let system: EmbeddedSystem;
  let curtail: TestPartition;
  let folder: string;
  let settings: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'curtail-test-yarn-'));
    settings = join(folder, 'settings.xml');
    const started = TestYarn.start({
      queues: {
        'root.queues': 'prod,dev',
        'root.acl_submit_applications': '*',
        'root.prod.capacity': 60,
        'root.prod.maximum-capacity': 100,
        'root.prod.minimum-user-limit-percent': 50,
        'root.prod.user-limit-factor': 10,
        'root.dev.capacity': 40,
        'root.dev.maximum-capacity': 100,
        'root.dev.user-limit-factor': 10,
        'maximum-am-resource-percent': 0.5,
        'resource-calculator': 'org.apache.hadoop.yarn.util.resource.DefaultResourceCalculator',
        'per-node-heartbeat.maximum-offswitch-assignments': 100,
      },
      site: { 'yarn.nodemanager.resource.memory-mb': nodeMegabytes },
    });
    await preempts('priority_first');
    yarn = await started;
    system = await EmbeddedSystem.start({
      cluster: 'yarn',
      yarnUrl: yarn.url,
      yarnUser: 'curtail',
      yarnSettings: settings,
      defaultMode: 'enforce',
      // Some notice, so that a first signal is SIGTERM.
      graceSeconds: 2,
    });
    curtail = new TestPartition(system, 'default');
  });
  afterAll(async () => {
    await system?.stop();
    await yarn?.remove();
    await rm(folder, { recursive: true, force: true });
  });

  afterEach(() => yarn.killAll());

  /** The file of settings, which the agent reads again. */
  const preempts = (order: 'priority_first' | 'userlimit_first') =>
    writeFile(
      settings,
      xmlOf({
        'yarn.scheduler.capacity.root.quota-preemption-delay': '1s',
        [`${inQueue}enabled`]: 'true',
        [`${inQueue}preemption-order-policy`]: order,
        [`${inQueue}max-allowable-limit`]: 1,
        [`${preemption}total_preemption_per_round`]: 1,
        [`${preemption}monitoring_interval`]: 1000,
        [`${preemption}max_wait_before_kill`]: 2000,
      }),
    );
  const known = (queue: string, containers: string[]) =>
    system.until(`${containers.length} containers of ${queue} to be known`, async () => {
      const remaining = await curtail.remaining(queue);
      return remaining.join() === [...containers].sort().join();
    });
  /** Of a run of any policy: a round belongs to root, whatever its victims' queues. */
  const evicted = async (queue: string) =>
    (await curtail.events('VictimEvicted'))
      .filter(({ data }) => data.victimQueue === queue)
      .map(({ data }) => data.allocation)
      .sort();
  const isMaster = (container: string) => container.endsWith('_000001');

  it('is checked by doctor: a user who is no administrator would see zeros', async () => {
    const problems = async (yarnUser: string) =>
      (await yarnChecks({ ...unset, yarnUrl: yarn.url, yarnUser, yarnSettings: settings }))
        .filter(({ status }) => status === 'problem')
        .map(({ name, message }) => `${name}: ${message}`);
    expect(await problems('curtail')).toEqual([]);
    expect(await problems('bob')).toEqual([
      expect.stringMatching(
        /^rights: bob is no administrator of YARN: the work of others would show as zeros/,
      ),
    ]);
  });

  it('evicts what is above a lowered maximum capacity, and nothing else', async () => {
    const old = await yarn.submit({ user: 'alice', queue: 'root.dev', tasks: '30x1024:1', retries: true });
    await yarn.runs(old, 31);
    await known('root.dev', await yarn.containers(old));
    await yarn.setQueues({
      'root.dev': { capacity: 10, 'maximum-capacity': 20 },
      'root.prod': { capacity: 90 },
    });
    const ended = await curtail.ended('root.dev');
    expect(ended.data).toMatchObject({ outcome: 'satisfied', failed: 0 });
    // 20 % of 102,912 MB are 20,582 MB: the master's 256 MB and 19 containers of 1024 MB.
    const left = await yarn.until('20 containers to be left', async () => {
      const containers = await yarn.containers(old);
      return containers.length === 20 && containers;
    });
    expect(left.filter(isMaster)).toHaveLength(1);
    const victims = await evicted('root.dev');
    expect(victims).toHaveLength(11);
    expect(victims.filter(isMaster)).toEqual([]);
    const signalled = (await yarn.signals()).filter(({ container }) => container.includes(old.slice(12)));
    expect(signalled.map(({ container }) => container).sort()).toEqual(victims);
  });

  it('is planned for by its address alone, and by nothing but reads', async () => {
    const app = await yarn.submit({ user: 'alice', queue: 'root.dev', tasks: '12x1024:1' });
    await yarn.runs(app, 13);
    const before = (await yarn.signals()).length;
    // 12,544 MB run; 11 GiB may: the two youngest of 1024 MB go, and no master.
    const call = [
      'plan',
      '--yarn-url',
      yarn.url,
      '--yarn-user',
      'curtail',
      '--max',
      'root.dev',
      'memory=11Gi',
    ];
    const { status, stdout, stderr } = await curtailCommand([...call, '--delay', '1m', '-o', 'json']);
    if (status !== 1) throw new Error(stderr);
    const victims = JSON.parse(stdout).victims.map(({ allocation }: { allocation: string }) => allocation);
    expect(victims).toHaveLength(2);
    expect(victims.filter(isMaster)).toEqual([]);
    expect(victims.every((container: string) => container.includes(app.slice(12)))).toBe(true);
    expect((await yarn.app(app)).runningContainers).toBe(13);
    expect((await yarn.signals()).length).toBe(before);
  });

  it('kills whom SIGTERM does not end, once, when its notice is over', async () => {
    await yarn.setQueues({ 'root.dev': { 'maximum-capacity': 40 } });
    const stubborn = await yarn.submit({
      user: 'alice',
      queue: 'root.dev',
      tasks: '22x1024:1',
      stopsAfterMs: -1,
    });
    await yarn.runs(stubborn, 23);
    await known('root.dev', await yarn.containers(stubborn));
    await yarn.setQueues({ 'root.dev': { 'maximum-capacity': 20 } });
    await yarn.until('the containers above the quota to be gone', async () => {
      const containers = await yarn.containers(stubborn);
      return containers.length <= 20 && containers;
    });
    const own = (await yarn.signals()).filter(({ container }) => container.includes(stubborn.slice(12)));
    const kinds = new Map<string, string[]>();
    for (const { container, signal } of own) kinds.set(container, [...(kinds.get(container) ?? []), signal]);
    expect(kinds.size).toBe(3);
    for (const signals of kinds.values()) expect(signals).toEqual(['GRACEFUL_SHUTDOWN', 'FORCEFUL_SHUTDOWN']);
  });

  it('gives a more important application its containers, the design document’s first inversion', async () => {
    const low = await yarn.submit({ user: 'alice', queue: 'root.prod', tasks: '100x1024:1', priority: 1 });
    await yarn.runs(low, 101);
    const high = await yarn.submit({ user: 'alice', queue: 'root.prod', tasks: '50x1024:1', priority: 5 });
    await yarn.runs(high, 51);
    const victims = await evicted('root.prod');
    expect(victims).toHaveLength(50);
    expect(victims.filter(isMaster)).toEqual([]);
    expect((await yarn.app(low)).runningContainers).toBe(51);
    // Rounds that know all of it find nothing to do.
    await known('root.prod', [...(await yarn.containers(low)), ...(await yarn.containers(high))]);
    expect(await evicted('root.prod')).toEqual(victims);
  });

  it('gives a user who has less than the limit containers of one who has more, the second inversion', async () => {
    await preempts('userlimit_first');
    await yarn.setQueues({ 'root.prod': { 'ordering-policy': 'fair' } });
    const before = await evicted('root.prod');
    const ada = await yarn.submit({ user: 'ada', queue: 'root.prod', tasks: '100x1024:1' });
    await yarn.runs(ada, 101);
    const grace = await yarn.submit({ user: 'grace', queue: 'root.prod', tasks: '100x1024:1' });
    const [left, got] = await yarn.until('grace to have about half', async () => {
      const [one, other] = await Promise.all([yarn.app(ada), yarn.app(grace)]);
      return one.runningContainers <= 54 && other.runningContainers >= 47 && [one, other];
    });
    const victims = (await evicted('root.prod')).filter((container) => !before.includes(container));
    expect(victims.filter(isMaster)).toEqual([]);
    expect(victims.every((container) => container.includes(ada.slice(12)))).toBe(true);
    // Half of the queue is the limit, and none ends below it.
    expect(left.runningContainers).toBeGreaterThanOrEqual(50);
    expect(got.runningContainers).toBeLessThanOrEqual(51);
  });
});
