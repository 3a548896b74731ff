import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import type { ClusterSnapshot } from '#contracts';
import { noSettings } from './agent-options.js';
import { plannedCluster } from './planned-cluster.js';
import { readSavedAnswers, type SavedAnswer } from './saved-answers.js';

const folder = 'test/clusters/yarn-answers';
// biome-ignore lint/suspicious/noExplicitAny: recorded answers, which tests change
const recorded = (name: string): any => JSON.parse(readFileSync(`${folder}/${name}.json`, 'utf8'));
const names = ['scheduler', 'nodes', 'apps', 'scheduler-conf', 'containers-alice', 'containers-bob'] as const;
const dominant = 'org.apache.hadoop.yarn.util.resource.DominantResourceCalculator';
const mebibyte = 1024 * 1024;

/** What a plan is made from, where some answers differ from the recorded ones; undefined: one is missing. */
function planned(instead: Record<string, unknown> = {}, settings = noSettings) {
  const answers = names.flatMap((name): SavedAnswer[] => {
    const value = name in instead ? instead[name] : recorded(name);
    return value === undefined ? [] : [{ name, value }];
  });
  const { cluster, skipped } = readSavedAnswers(answers);
  return { ...plannedCluster('default', cluster, settings), skipped };
}
const queueOf = ({ queues }: ClusterSnapshot, path: string) => queues.find((queue) => queue.path === path);
// biome-ignore lint/suspicious/noExplicitAny: recorded queues
const eachQueue = (answer: any, change: (queue: any) => void) => {
  for (const queue of answer.scheduler.schedulerInfo.queues.queue) change(queue);
  return answer;
};

describe('a plan from saved answers of a ResourceManager', () => {
  it('is made from the containers, with the amounts that the manager enforces', () => {
    const { snapshot, differences, queues } = planned();
    expect(differences).toEqual([]);
    expect(snapshot.allocations).toHaveLength(11);
    expect(snapshot.takenAt).toMatch(/^2026-11-29T03:58:1/);
    expect(queueOf(snapshot, 'root.dev')).toMatchObject({
      max: { memory: 13_107 * mebibyte, vcore: 102_000 },
      guaranteed: { memory: 6553 * mebibyte, vcore: 51_000 },
    });
    expect(queues.map(({ path, delayMs }) => `${path} ${delayMs}`)).toEqual([
      'root 0',
      'root.prod 0',
      'root.dev 0',
    ]);
    // One container is no list; a master is protected unless a setting says otherwise.
    const bob = snapshot.allocations.filter(({ application }) => application.endsWith('_0002'));
    expect(bob).toMatchObject([{ role: 'originator', protected: true, priority: 1 }]);
    expect(planned({}, { ...noSettings, evictsMasters: true }).snapshot.allocations[0]).not.toHaveProperty(
      'protected',
    );
  });

  it('compares memory alone where the scheduler does', () => {
    const conf = recorded('scheduler-conf');
    conf.property = conf.property.filter(({ name }: { name: string }) => !name.includes('calculator'));
    const { snapshot } = planned({ 'scheduler-conf': conf });
    expect(queueOf(snapshot, 'root.dev')?.max).toEqual({ memory: 13_107 * mebibyte });
    expect(snapshot.nodes?.[0]?.capacity).toEqual({ memory: 8192 * mebibyte });
  });

  it('takes a delay from the settings, also where the properties are not saved', () => {
    const key = 'yarn.scheduler.capacity.root.quota-preemption-delay';
    const settings = { ...noSettings, properties: new Map([[key, '10m']]) };
    for (const instead of [{}, { 'scheduler-conf': undefined }]) {
      const { queues } = planned(instead, settings);
      expect(queues.map(({ delayMs }) => delayMs)).toEqual([600_000, 600_000, 600_000]);
    }
  });

  it('counts what an auto-created queue uses in the nearest one that is configured', () => {
    const scheduler = recorded('scheduler');
    const dev = scheduler.scheduler.schedulerInfo.queues.queue[1];
    const child = { ...structuredClone(dev), queueName: 'ada', creationMethod: 'dynamicLegacy' };
    dev.queues = { queue: child };
    const apps = recorded('apps');
    for (const app of apps.apps.app) if (app.queue === 'root.dev') app.queue = 'root.dev.ada';
    const { snapshot, differences } = planned({ scheduler, apps });
    expect(differences).toEqual([]);
    expect(snapshot.queues.map(({ path }) => path)).toEqual(['root', 'root.prod', 'root.dev']);
    expect(snapshot.allocations.filter(({ queue }) => queue === 'root.dev')).toHaveLength(10);
  });

  it('takes absolute and weighted queues as the manager shows them, and says what is not in force', () => {
    const conf = {
      property: [
        { name: 'yarn.scheduler.capacity.root.queues', value: 'prod,dev' },
        { name: 'yarn.scheduler.capacity.root.prod.capacity', value: '3w' },
        { name: 'yarn.scheduler.capacity.root.dev.capacity', value: '2w' },
        { name: 'yarn.scheduler.capacity.root.dev.maximum-capacity', value: '70' },
        { name: 'yarn.scheduler.capacity.resource-calculator', value: dominant },
      ],
    };
    const { snapshot, notInForce } = planned({ 'scheduler-conf': conf });
    expect(queueOf(snapshot, 'root.dev')?.max).toEqual({ memory: 13_107 * mebibyte, vcore: 102_000 });
    expect(notInForce).toMatch(/^root\.dev: its maximum memory is 13107 at the manager, and 11468 by its/);
  });

  it.each([
    ['nothing runs', { apps: {} }],
    ['nothing runs in an older version', { apps: null }],
  ])('is one for an empty cluster where %s, and its queues use nothing', (_name, apps) => {
    const scheduler = eachQueue(recorded('scheduler'), (queue) => {
      queue.resourcesUsed = { memory: 0, vCores: 0 };
    });
    const { snapshot, differences } = planned({
      ...{ apps, scheduler },
      ...{ 'containers-alice': {}, 'containers-bob': undefined },
    });
    expect(snapshot.allocations).toEqual([]);
    expect(differences).toEqual([]);
  });

  it('knows what it does not see: lists that are short, and applications that are missing', () => {
    const list = recorded('containers-alice');
    list.container.pop();
    expect(planned({ 'containers-alice': list }).differences).toEqual([
      expect.objectContaining({ queue: 'root.dev' }),
    ]);
    expect(planned({ 'containers-alice': undefined }).differences).toHaveLength(1);
    const apps = recorded('apps');
    apps.apps.app.pop();
    expect(planned({ apps }).differences).toHaveLength(1);
    expect(
      planned({ apps: { apps: {} } })
        .differences.map(({ queue }) => queue)
        .sort(),
    ).toEqual(['root.dev', 'root.prod']);
  });

  it('counts a reservation as used, and not as a container', () => {
    const apps = recorded('apps');
    const [app] = apps.apps.app;
    const reserves = { reservedMB: '1024', reservedVCores: '1' };
    const scheduler = eachQueue(recorded('scheduler'), ({ queuePath, resourcesUsed }) => {
      if (queuePath !== app.queue) return;
      resourcesUsed.memory += 1024;
      resourcesUsed.vCores += 1;
    });
    Object.assign(app, reserves);
    expect(planned({ apps, scheduler }).differences).toEqual([]);
  });

  it.each<[string, Record<string, unknown>, RegExp]>([
    [
      'zeros',
      { apps: { apps: { app: { ...recorded('apps').apps.app[0], startedTime: 0 } } } },
      /is shown with zeros/,
    ],
    ['an answer that is missing', { nodes: undefined }, /these are missing: \/ws\/v1\/cluster\/nodes/],
    [
      'a cut list',
      { apps: { apps: { app: ['... 3 more'] } } },
      /^apps: apps\.app\[0\]|an object is expected/,
    ],
    [
      'another scheduler',
      { scheduler: { scheduler: { schedulerInfo: { type: 'fairScheduler' } } } },
      /fairScheduler/,
    ],
    [
      'a refusal in place of an answer',
      { scheduler: { RemoteException: { message: 'User bob does not have privilege' } } },
      /missing: \/ws\/v1\/cluster\/scheduler; scheduler: the manager refused: User bob does not have/,
    ],
  ])('is refused for %s', (_name, instead, message) => {
    expect(() => planned(instead)).toThrow(message);
  });

  it('is refused where nodes have labels, since nothing is enforced there', () => {
    const nodes = recorded('nodes');
    nodes.nodes.node[0].nodeLabels = ['gpu'];
    expect(() => planned({ nodes })).toThrow(/the node labels gpu have capacities of their own/);
  });

  it('leaves out answers that no plan needs, and other files, and names those', () => {
    const answers = names.map((name) => ({ name, value: recorded(name) }));
    const { skipped } = readSavedAnswers([
      ...answers,
      { name: 'info', value: recorded('info') },
      { name: 'refused', value: { RemoteException: { message: 'no' } } },
      { name: 'other', value: { name: 'curtail' } },
    ]);
    expect(skipped).toEqual([
      { name: 'refused', why: 'the manager refused: no' },
      { name: 'other', why: 'it is no answer of a ResourceManager' },
    ]);
    const twice = [...answers, { name: 'again', value: recorded('apps') }];
    expect(() => readSavedAnswers(twice)).toThrow('apps and again both have apps; give one of them');
  });
});
