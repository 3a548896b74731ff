import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { stringify } from 'yaml';
import { EmbeddedSystem } from '../support/embedded-system.js';
import { FakeYunikorn } from '../support/fake-yunikorn.js';
import { type PodSpec, TestKubernetes } from '../support/kubernetes.js';
import { TestPartition } from '../support/test-partition.js';

interface Queue {
  cpus: number;
  delay?: string | number;
  /** Further amounts of its max. */
  max?: Record<string, string>;
}

let kubernetes: TestKubernetes;
let yunikorn: FakeYunikorn;
let system: EmbeddedSystem;
let curtail: TestPartition;
let node: string;
/** The namespace of YuniKorn's ConfigMap. */
let home: string;
const queues: Record<string, Queue> = {};

beforeAll(async () => {
  kubernetes = await TestKubernetes.open();
  [node, home] = await Promise.all([kubernetes.node(), kubernetes.namespace()]);
  yunikorn = new FakeYunikorn(kubernetes, home);
  await yunikorn.up();
  await save({ spare: { cpus: 1 } });
  system = await EmbeddedSystem.start({
    cluster: 'kubernetes',
    kubeconfig: await kubernetes.kubeconfig(),
    kubernetesQueues: 'yunikorn',
    yunikornUrl: yunikorn.url,
    yunikornNamespace: home,
    defaultMode: 'enforce',
    // Longer than the interval between two confirmations.
    inventoryStaleSeconds: 5,
    inventoryAnswerSeconds: 2,
  });
  curtail = new TestPartition(system, 'default');
  await isInForce(await version());
});
afterAll(async () => {
  await system?.stop();
  await yunikorn?.close();
  await kubernetes?.remove('/apis/scheduling.k8s.io/v1/priorityclasses/test-stays');
  await kubernetes?.close();
});

const configMap = () => `/api/v1/namespaces/${home}/configmaps`;

/** Saves the queues, with those of other tests, as an edit of the ConfigMap does. @returns its resourceVersion. */
async function save(changed: Record<string, Queue>, switchedOn?: boolean): Promise<string> {
  Object.assign(queues, changed);
  const text = stringify({
    partitions: [
      {
        name: 'default',
        ...(switchedOn !== undefined && { preemption: { quotapreemptionenabled: switchedOn } }),
        queues: [
          {
            name: 'root',
            queues: Object.entries(queues).map(([name, { cpus, delay = '0', max }]) => ({
              name,
              resources: { max: { vcore: String(cpus), ...max } },
              properties: { 'quota.preemption.delay': delay },
            })),
          },
        ],
      },
    ],
  });
  const data = { 'queues.yaml': text };
  const { code } = await kubernetes.admin.call('GET', `${configMap()}/yunikorn-configs`);
  const saved =
    code === 404
      ? await kubernetes.ask('POST', configMap(), { metadata: { name: 'yunikorn-configs' }, data })
      : await kubernetes.patch(`${configMap()}/yunikorn-configs`, { data });
  return saved.metadata.resourceVersion;
}
const version = async () =>
  (await kubernetes.ask('GET', `${configMap()}/yunikorn-configs`)).metadata.resourceVersion;

/** Waits until the log shows that the save of this version was applied or refused. */
const isInForce = (resourceVersion: string) => outcomeOf('ConfigApplied', resourceVersion);
const outcomeOf = <N extends 'ConfigApplied' | 'ConfigRefused'>(name: N, resourceVersion: string) =>
  system.until(`${name} of ${resourceVersion}`, async () => {
    const events = await curtail.events(name);
    return events.find(({ data }) => 'submission' in data && data.submission === submission(resourceVersion));
  });
const submission = (resourceVersion: string) => `yunikorn-configs@${resourceVersion}`;
const eventOf = (reason: string, text: string) =>
  kubernetes.until(`an event ${reason} on the ConfigMap`, async () =>
    (await kubernetes.events(home)).find((event) => event.reason === reason && event.note.includes(text)),
  );

/** Starts pods of YuniKorn in a queue, and waits until Curtail knows them. */
async function run(queue: string, groups: Record<string, Partial<PodSpec>>): Promise<string> {
  const namespace = await kubernetes.namespace();
  // The first pod of an application is its originator.
  for (const [name, of] of Object.entries(groups)) {
    await kubernetes.runningPods(namespace, [name], {
      node,
      ...of,
      labels: { applicationId: namespace, queue: `root.${queue}`, ...of.labels },
      spec: { schedulerName: 'yunikorn', ...of.spec },
    });
  }
  await system.until(
    `the pods of ${queue} to be known`,
    async () => (await curtail.remaining(`root.${queue}`)).length === Object.keys(groups).length,
  );
  return namespace;
}
const known = async () => {
  const { items } = await system.get<{ items: { known: boolean }[] }>('/v1/inventory?partition=default');
  return items[0]?.known;
};

describe('a quota that is lowered in the ConfigMap of YuniKorn', () => {
  it('ends exactly the planned pods', async () => {
    await kubernetes.ask('POST', '/apis/scheduling.k8s.io/v1/priorityclasses', {
      metadata: {
        name: 'test-stays',
        annotations: { 'yunikorn.apache.org/allow-preemption': 'false' },
      },
      value: 0,
    });
    await isInForce(await save({ prod: { cpus: 7, delay: '100ms' } }));
    const annotated = (allow: string) => ({
      annotations: { 'yunikorn.apache.org/allow-preemption': allow },
    });
    const stays = { spec: { schedulerName: 'yunikorn', priorityClassName: 'test-stays' } };
    const namespace = await run('prod', {
      'a-first': {},
      'b-asked-to-stay': annotated('false'),
      'c-stays-by-class': stays,
      'd-goes-after-all': { ...annotated('true'), ...stays },
      'e-task': {},
      'f-task': {},
      'g-room': { annotations: { 'yunikorn.apache.org/placeholder': 'true' } },
    });
    // Of another scheduler, in spite of its labels.
    await kubernetes.runningPods(namespace, ['stranger'], { node, labels: { queue: 'root.prod' } });
    expect(await curtail.allocation(`${namespace}/a-first`)).toMatchObject({
      application: namespace,
      queue: 'root.prod',
      role: 'originator',
    });
    expect(await curtail.allocation(`${namespace}/g-room`)).toMatchObject({ role: 'placeholder' });
    const saved = await save({ prod: { cpus: 3, delay: '100ms' } });
    expect((await curtail.ended('root.prod')).data).toMatchObject({ outcome: 'satisfied', evicted: 4 });
    expect((await isInForce(saved)).data).toMatchObject({ quotaPreemptionEnabled: true });
    const planned = (await curtail.event('PlanComputed', 'root.prod')).data.plan.victims;
    const names = ['d-goes-after-all', 'e-task', 'f-task', 'g-room'];
    expect(planned.map(({ allocation }) => allocation).sort()).toEqual(
      names.map((name) => `${namespace}/${name}`),
    );
    const left = ['a-first', 'b-asked-to-stay', 'c-stays-by-class', 'stranger'];
    await kubernetes.until(
      'the planned pods to go',
      async () => (await kubernetes.pods(namespace)).length === left.length,
    );
    expect(await kubernetes.remaining(namespace)).toEqual(left);
  });
});

describe('a configuration that YuniKorn refuses', () => {
  it('is not enforced, with the reason on the ConfigMap', async () => {
    await isInForce(await save({ kept: { cpus: 2, delay: '100ms' } }));
    const namespace = await run('kept', { 'a-first': {}, 'b-task': {} });
    const reason = 'queue kept has a max resource below the max of its child';
    yunikorn.refuses = (text) => (text.includes('refused: "1"') ? reason : undefined);
    const saved = await save({ kept: { cpus: 1, delay: '100ms', max: { refused: '1' } } });
    expect(await eventOf('ConfigurationNotInForce', reason)).toMatchObject({
      on: 'ConfigMap/yunikorn-configs',
      type: 'Warning',
    });
    expect((await curtail.events('ConfigApplied')).map(({ data }) => data.submission)).not.toContain(
      submission(saved),
    );
    expect(await curtail.events('QuotaChanged', 'root.kept')).toHaveLength(1);
    expect(await kubernetes.remaining(namespace)).toEqual(['a-first', 'b-task']);
    yunikorn.refuses = () => undefined;
    await isInForce(await save({ kept: { cpus: 2, delay: '100ms' } }));
  });

  it('because it is not YAML is reported as such, and the previous one stays in force', async () => {
    await isInForce(await save({ kept: { cpus: 2, delay: '100ms' } }));
    const outcomes = async () => [
      ...(await curtail.events('ConfigApplied')),
      ...(await curtail.events('ConfigRefused')),
    ];
    const before = (await outcomes()).length;
    await kubernetes.patch(`${configMap()}/yunikorn-configs`, { data: { 'queues.yaml': 'partitions: [' } });
    expect(await eventOf('ConfigurationNotInForce', 'yaml: ')).toMatchObject({ type: 'Warning' });
    expect(await outcomes()).toHaveLength(before);
    expect(await known()).toBe(true);
    await isInForce(await save({}));
  });

  it('for another reason is reported as well: the checksum differs', async () => {
    yunikorn.takesConfigurations = false;
    const saved = await save({ kept: { cpus: 1, delay: '100ms' } });
    await eventOf('ConfigurationNotInForce', 'service.enableConfigHotRefresh');
    expect((await curtail.events('ConfigApplied')).map(({ data }) => data.submission)).not.toContain(
      submission(saved),
    );
    await save({ kept: { cpus: 2, delay: '100ms' } });
    yunikorn.takesConfigurations = true;
    await isInForce(await version());
  });
});

describe('a configuration that only Curtail refuses', () => {
  it('has its errors on the ConfigMap, and nothing is planned until it is fixed', async () => {
    await isInForce(await save({ strict: { cpus: 2, delay: '7s' } }));
    const namespace = await run('strict', { 'a-first': {}, 'b-task': {} });
    await isInForce(await save({ strict: { cpus: 1, delay: '7s' } }));
    const saved = await save({ strict: { cpus: 2, delay: '7s', max: { memory: '1.5G' } } });
    await outcomeOf('ConfigRefused', saved);
    await eventOf('ConfigurationRefused', 'line ');
    await system.until('nothing to be known any more', async () => (await known()) === false);
    expect(await kubernetes.remaining(namespace)).toEqual(['a-first', 'b-task']);
    await isInForce(await save({ strict: { cpus: 2, delay: '7s', max: {} } }));
    await system.until('everything to be known again', known);
  });
});

describe('quota preemption of YuniKorn itself', () => {
  it('causes a warning, and so does a delay that it cannot read', async () => {
    const saved = await save({ both: { cpus: 4, delay: '30m' }, bare: { cpus: 4, delay: 30 } }, true);
    const { data } = await isInForce(saved);
    expect(data.notices.map(({ code }) => code)).toEqual(
      expect.arrayContaining(['scheduler-preempts-too', 'delay-bare-number']),
    );
    const twice = await eventOf('QuotaPreemptionTwice', 'root.both 30m');
    expect(twice.note).not.toContain('root.bare');
    await eventOf('DelayWithoutUnit', 'no delay (0s)');
    await isInForce(await save({ both: { cpus: 4 }, bare: { cpus: 4 } }, false));
  });
});

describe('YuniKorn', () => {
  it('is unavailable while Kubernetes answers: nothing is planned, and the run completes when it is back', async () => {
    // Long enough for YuniKorn to be found away before the run is due, on a slow machine too.
    await isInForce(await save({ away: { cpus: 3, delay: '30s' } }));
    const namespace = await run('away', { 'a-first': {}, 'b-task': {}, 'c-task': {}, 'd-task': {} });
    await isInForce(await save({ away: { cpus: 2, delay: '30s' } }));
    const { dueAt } = (await curtail.event('EnforcementRescheduled', 'root.away')).data;
    await yunikorn.down();
    // Pod reports of Kubernetes do not show that YuniKorn answers.
    await kubernetes.remove(`/api/v1/namespaces/${namespace}/pods/d-task`, 0);
    await system.until('nothing to be known any more', async () => (await known()) === false);
    await system.until('the run to be due', async () => {
      const [row] = await system.db.query<{ due: boolean }[]>(
        "SELECT now() > $1::timestamptz + interval '1 s' AS due",
        [dueAt],
      );
      return row?.due;
    });
    expect(await curtail.events('PlanComputed', 'root.away')).toEqual([]);
    // It returns in the state of a fresh start.
    yunikorn.isRegistered = false;
    yunikorn.forgotten.add('c-task');
    await yunikorn.up();
    yunikorn.isRegistered = true;
    expect((await curtail.ended('root.away')).data).toMatchObject({ outcome: 'satisfied', evicted: 1 });
    expect(await kubernetes.remaining(namespace)).toHaveLength(2);
    expect(await kubernetes.remaining(namespace)).toContain('a-first');
    yunikorn.forgotten.clear();
  });

  it('does not list a pod that it has started: nothing is planned until it does', async () => {
    const namespace = await run('spare', { 'a-first': {} });
    yunikorn.forgotten.add('b-unknown');
    await kubernetes.runningPods(namespace, ['b-unknown'], {
      node,
      labels: { applicationId: namespace, queue: 'root.spare' },
      spec: { schedulerName: 'yunikorn' },
    });
    await system.until('nothing to be known any more', async () => (await known()) === false);
    yunikorn.forgotten.clear();
    await system.until(
      'both pods to be known',
      async () => (await known()) && (await curtail.remaining('root.spare')).length === 2,
    );
  });
});
