import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { EnforcementView, StatusView } from '#contracts/api';
import { EmbeddedSystem } from '../support/embedded-system.js';
import { pathOf, TestKubernetes, type Thing } from '../support/kubernetes.js';
import { TcpProxy } from '../support/tcp-proxy.js';
import { TestPartition } from '../support/test-partition.js';

let kubernetes: TestKubernetes;
/** Curtail's proxy to the API server; the tests use another connection. */
let way: TcpProxy;
let system: EmbeddedSystem;
let curtail: TestPartition;
let node: string;
/** Much longer than the interval between an agent's confirmations. */
const staleSeconds = 6;

interface Known {
  known: boolean;
  notices: object[];
}

beforeAll(async () => {
  kubernetes = await TestKubernetes.open();
  const proxy = await TcpProxy.to(kubernetes.plane.url);
  way = proxy;
  const [kubeconfig] = await Promise.all([
    kubernetes.kubeconfig({ server: proxy.url }),
    kubernetes.node().then((name) => {
      node = name;
    }),
  ]);
  for (const [name, value] of Object.entries({ broken: -10, low: 1, high: 1000 })) {
    await kubernetes.ask('POST', '/apis/scheduling.k8s.io/v1/priorityclasses', {
      metadata: { name: `test-${name}` },
      value,
    });
  }
  system = await EmbeddedSystem.start({
    cluster: 'kubernetes',
    kubeconfig,
    defaultMode: 'enforce',
    inventoryStaleSeconds: staleSeconds,
    inventoryAnswerSeconds: 2,
  });
  curtail = new TestPartition(system, 'default');
});
afterAll(async () => {
  await system?.stop();
  await way?.cut();
  for (const name of ['broken', 'low', 'high']) {
    await kubernetes.remove(`/apis/scheduling.k8s.io/v1/priorityclasses/test-${name}`);
  }
  await kubernetes.close();
});
afterEach(() => way.pass());

const low = { spec: { priorityClassName: 'test-low' } };
const high = { spec: { priorityClassName: 'test-high' } };

/** Creates a namespace with a quota of this many CPUs and a delay, and waits until Curtail knows it. */
async function governed(cpus: number, delay = '100ms'): Promise<{ namespace: string; queue: string }> {
  const namespace = await kubernetes.namespace({
    annotations: { 'curtail.io/quota-preemption-delay': delay },
    quota: { 'requests.cpu': `${cpus}` },
  });
  const queue = `root.${namespace}`;
  await curtail.event('QuotaChanged', queue);
  return { namespace, queue };
}
/** Starts pods of one CPU each, and waits until Curtail counts them. */
async function run(queue: string, groups: [names: string[], of: object][]): Promise<Thing[]> {
  const namespace = queue.split('.').at(-1)!;
  const pods = (
    await Promise.all(groups.map(([names, of]) => kubernetes.runningPods(namespace, names, { node, ...of })))
  ).flat();
  const ids = pods.map(({ metadata }) => `${namespace}/${metadata.name}`).sort();
  await system.until(
    `the pods of ${queue} to be known`,
    async () => (await curtail.remaining(queue)).length === ids.length,
  );
  expect(await curtail.remaining(queue)).toEqual(ids);
  return pods;
}
const names = (prefix: string, count: number) => Array.from({ length: count }, (_, i) => `${prefix}-${i}`);
const gone = (namespace: string, left: string[]) =>
  kubernetes.until(`only ${left.join(', ')} to be left`, async () => {
    const pods = await kubernetes.pods(namespace);
    await kubernetes.remindOfEnds(pods);
    return pods.length <= left.length;
  });
/** The evicted pods, from the log. */
const evictedOf = async (queue: string) =>
  (await curtail.events('VictimEvicted', queue)).map(({ data }) => data.allocation).sort();

describe('a ResourceQuota that is lowered', () => {
  it('ends exactly the planned pods, and records it on them and on their owner', async () => {
    const { namespace, queue } = await governed(10);
    const owner = await kubernetes.ask('POST', `/api/v1/namespaces/${namespace}/configmaps`, {
      metadata: { name: 'job' },
    });
    const ownedBy = { apiVersion: 'v1', kind: 'ConfigMap', name: 'job', uid: owner.metadata.uid };
    await run(queue, [
      [names('low', 3), { ...low, owner: ownedBy, graceSeconds: 5 }],
      [names('high', 3), { ...high, owner: ownedBy }],
      [['driver'], { ...low, labels: { 'spark-role': 'driver' } }],
      [['precious'], { ...low, labels: { 'curtail.io/protect': 'true' } }],
    ]);
    await kubernetes.quota(namespace, { 'requests.cpu': '5' });
    const ended = await curtail.ended(queue);
    expect(ended.data).toMatchObject({ outcome: 'satisfied', evicted: 3, failed: 0 });
    const planned = (await curtail.event('PlanComputed', queue)).data.plan.victims.map(
      ({ allocation }) => allocation,
    );
    expect(planned.sort()).toEqual(names('low', 3).map((name) => `${namespace}/${name}`));
    expect(await evictedOf(queue)).toEqual(planned);
    await gone(namespace, ['driver', ...names('high', 3), 'precious']);
    expect(await kubernetes.remaining(namespace)).toEqual(['driver', ...names('high', 3), 'precious']);
    const events = await kubernetes.until('an event on each pod and on its owner', async () => {
      const found = (await kubernetes.events(namespace)).filter(({ reason }) =>
        /^(Pod)?Evicted$/.test(reason),
      );
      return found.length === 6 && found;
    });
    expect(events.map(({ on }) => on).sort()).toEqual([
      ...names('', 3).map(() => 'ConfigMap/job'),
      ...names('low', 3).map((name) => `Pod/${name}`),
    ]);
    for (const { note } of events) expect(note).toContain(`from queue ${queue}`);
    // Finally the usage in the ResourceQuota agrees.
    const { status } = await kubernetes.ask('GET', `/api/v1/namespaces/${namespace}/resourcequotas/quota`);
    expect(status.hard['requests.cpu']).toBe('5');
  });
});

describe('the annotation of a pod', () => {
  it('is the answer of its owner: extend holds the pod, ready lets it go', async () => {
    const { namespace, queue } = await governed(10);
    await system.request('PATCH', '/v1/partitions/default/settings', {
      queue,
      settings: { extensions: 1, extensionSeconds: 600 },
    });
    await run(queue, [
      [names('low', 2), { ...low, annotations: { 'curtail.io/user': 'ann' } }],
      [names('high', 2), high],
    ]);
    const release = system.pauseExecutor();
    await kubernetes.quota(namespace, { 'requests.cpu': '2' });
    const { enforcement } = (await curtail.event('PlanComputed', queue)).data;
    const answer = (written: string) =>
      kubernetes.patch(`/api/v1/namespaces/${namespace}/pods/low-0`, {
        metadata: { annotations: { 'curtail.io/answer': written } },
      });
    const resultOf = (reason: string) =>
      kubernetes.until(`an event ${reason} on the pod`, async () =>
        (await kubernetes.events(namespace)).find((event) => event.reason === reason),
      );
    await answer('extend');
    const extended = await curtail.event('OwnerAnswered', queue);
    expect(extended.data).toMatchObject({
      ...{ allocation: `${namespace}/low-0`, answer: 'extend', seconds: 600, enforcement, by: 'ann' },
    });
    expect(await resultOf('AnswerAccepted')).toEqual({
      ...{ on: 'Pod/low-0', reason: 'AnswerAccepted', type: 'Normal' },
      note: `The answer extend counts: this pod is not evicted by ${enforcement} for 600 s from the opening of the run.`,
    });
    await answer('extend/2');
    expect(await resultOf('AnswerRefused')).toEqual({
      ...{ on: 'Pod/low-0', reason: 'AnswerRefused', type: 'Warning' },
      note: expect.stringMatching(/^The answer extend changes nothing: .+/),
    });
    release();
    await curtail.event('VictimEvicted', queue);
    await gone(namespace, ['high-0', 'high-1', 'low-0']);
    await system.until('the run to wait', async () => {
      const { waiting } = await system.get<EnforcementView>(`/v1/enforcements/${enforcement}`);
      return waiting?.code === 'extension';
    });
    expect(await kubernetes.remaining(namespace)).toEqual(['high-0', 'high-1', 'low-0']);
    await answer('ready');
    expect((await curtail.ended(queue)).data).toMatchObject({ outcome: 'satisfied', evicted: 2 });
    await gone(namespace, ['high-0', 'high-1']);
  });
});

describe('quotas that are not plain', () => {
  const eventOf = (namespace: string, reason: string) =>
    kubernetes.until(`an event ${reason} in ${namespace}`, async () =>
      (await kubernetes.events(namespace)).find((event) => event.reason === reason),
    );

  /** What the status says of a namespace; the status has it as long as it is so. */
  const attentionTo = async (namespace: string) => {
    const { attention } = await system.get<StatusView>('/v1/status');
    return attention.filter(({ message }) => message.includes(namespace));
  };

  it('are enforced but for what cannot be counted, which is ignored with an event on them and needs attention', async () => {
    const { namespace, queue } = await governed(4);
    await run(queue, [[names('low', 2), low]]);
    const hard = { 'openshift.io/imagestreams': '10', 'count/jobs.batch': '1' };
    await kubernetes.quota(namespace, {
      ...{ 'requests.memory': '1610612736500m', 'nvidia.com/gpu': '4' },
      ...hard,
    });
    expect((await curtail.ended(queue)).data).toMatchObject({ outcome: 'satisfied', evicted: 1 });
    const remedy = /requests\.nvidia\.com\/gpu$/;
    expect(await eventOf(namespace, 'QuotaNotice')).toEqual({
      ...{ on: 'ResourceQuota/quota', reason: 'QuotaNotice', type: 'Warning' },
      note: expect.stringMatching(remedy),
    });
    expect(await kubernetes.remaining(namespace)).toHaveLength(1);
    await system.until('it to need attention', async () => (await attentionTo(namespace)).length > 0);
    expect(await attentionTo(namespace)).toEqual([
      {
        code: 'quota-resource-unknown',
        message: expect.stringMatching(
          `^ResourceQuota ${namespace}/quota: .*${remedy.source.slice(0, -1)}\\.$`,
        ),
        remedy: expect.any(String),
        about: { kind: 'queue', name: queue },
      },
    ]);
    await kubernetes.quota(namespace, { 'nvidia.com/gpu': null } as unknown as Record<string, string>);
    await system.until(
      'nothing of it to need attention',
      async () => (await attentionTo(namespace)).length === 0,
    );
  });

  it('lose no pod while what is guaranteed cannot be read, and are enforced once it can', async () => {
    const { namespace, queue } = await governed(4, '1s');
    await run(queue, [[names('low', 2), low]]);
    const guarantee = (written: string) =>
      kubernetes.patch(`/api/v1/namespaces/${namespace}`, {
        metadata: { annotations: { 'curtail.io/guaranteed': written } },
      });
    await guarantee('cpu:1');
    await system.until('its pods to be known as protected', async () => {
      const found = await curtail.allocation(`${namespace}/low-0`);
      return found?.protected === true;
    });
    await kubernetes.quota(namespace, { 'requests.cpu': '1' });
    expect((await curtail.ended(queue)).data).toMatchObject({ outcome: 'impossible', evicted: 0 });
    expect(await attentionTo(`Namespace ${namespace}`)).toMatchObject([{ code: 'annotation-unreadable' }]);
    await guarantee('cpu=1');
    await system.until('its pods not to be protected', async () => {
      const found = await curtail.allocation(`${namespace}/low-0`);
      return found !== undefined && found.protected !== true;
    });
    await kubernetes.quota(namespace, { 'requests.cpu': '500m' });
    expect((await curtail.ended(queue, 2)).data).toMatchObject({ outcome: 'best-effort', evicted: 1 });
    expect(await kubernetes.remaining(namespace)).toHaveLength(1);
  });

  it('are not enforced where an annotation or a parent is wrong, with an event on the namespace, and are enforced once both are fixed', async () => {
    const { namespace, queue } = await governed(4);
    await run(queue, [[names('low', 2), low]]);
    await kubernetes.patch(`/api/v1/namespaces/${namespace}`, {
      metadata: {
        annotations: { 'curtail.io/quota-preemption-delay': 'soon' },
        labels: { 'curtail.io/parent': 'nowhere' },
      },
    });
    const found = await kubernetes.until('both events', async () => {
      const events = await kubernetes.events(namespace);
      return events.length >= 2 && events;
    });
    const [delay, parent] = [/quota-preemption-delay"\]: .*soon/, /curtail.io\/parent"\]: .*nowhere/].map(
      (note) => ({
        on: `Namespace/${namespace}`,
        reason: 'QuotaNotEnforced',
        type: 'Warning',
        note: expect.stringMatching(note),
      }),
    );
    expect(found).toHaveLength(2);
    expect(found).toEqual(expect.arrayContaining([delay, parent]));
    await kubernetes.quota(namespace, { 'requests.cpu': '1' });
    await system.until('the quota to be known', async () =>
      (await curtail.events('QuotaChanged', queue)).some(({ data }) => data.current.max?.vcore === 1000),
    );
    await curtail.handled();
    expect(await curtail.events('EnforcementStarted', queue)).toEqual([]);
    expect(await kubernetes.remaining(namespace)).toEqual(names('low', 2));
    await kubernetes.patch(`/api/v1/namespaces/${namespace}`, {
      metadata: {
        annotations: { 'curtail.io/quota-preemption-delay': '100ms' },
        labels: { 'curtail.io/parent': null },
      },
    });
    expect((await curtail.ended(queue)).data).toMatchObject({ outcome: 'satisfied', evicted: 1 });
  });

  it('count with the smallest value when one namespace has several, with an event on it', async () => {
    const { namespace, queue } = await governed(4);
    await run(queue, [[names('low', 2), low]]);
    await kubernetes.quota(namespace, { 'requests.cpu': '1' }, 'smaller');
    expect((await curtail.ended(queue)).data).toMatchObject({ outcome: 'satisfied', evicted: 1 });
    expect(await eventOf(namespace, 'QuotaNotice')).toMatchObject({
      on: 'ResourceQuota/smaller',
      note: expect.stringContaining('smallest'),
    });
    expect((await kubernetes.events(namespace)).map(({ reason }) => reason)).not.toContain(
      'QuotaNotEnforced',
    );
  });
});

describe('the quota of a namespace above others', () => {
  /** A namespace of its own below another one, which inherits its delay. */
  async function below(parent: string, cpus: number): Promise<{ namespace: string; queue: string }> {
    const namespace = await kubernetes.namespace({
      labels: { 'curtail.io/parent': parent },
      quota: { 'requests.cpu': `${cpus}` },
    });
    const queue = `root.${parent}.${namespace}`;
    await curtail.event('QuotaChanged', queue);
    return { namespace, queue };
  }
  /** Everything that happened to the clock of a queue. */
  const clockOf = async (queue: string) =>
    (await curtail.log()).filter(
      ({ name, key }) => key === queue && /^Enforcement(Scheduled|Rescheduled|Cancelled|Started)$/.test(name),
    );
  /** Saves the quota of a team with a number of pods, by which its arrival is seen. */
  async function save(team: { namespace: string; queue: string }, pods: number, hard: object): Promise<void> {
    await kubernetes.quota(team.namespace, { ...hard, pods: `${pods}` });
    await system.until(`the quota of ${team.queue} to be known`, async () =>
      (await curtail.events('QuotaChanged', team.queue)).some(({ data }) => data.current.max?.pods === pods),
    );
    await curtail.handled();
  }

  it.each<[string, Record<string, string>]>([
    ['is above it', { 'requests.cpu': '31' }],
    ['has a fraction of a byte', { 'requests.memory': '1.2Gi' }],
    ['counts objects of OpenShift', { 'openshift.io/imagestreams': '10' }],
    ['names a resource as Kubernetes does not count it', { 'nvidia.com/gpu': '4' }],
  ])('keeps its clock when a quota below it %s', async (_, hard) => {
    const dept = await governed(40, '10m');
    const team = await below(dept.namespace, 20);
    await kubernetes.quota(dept.namespace, { 'requests.cpu': '30' });
    await system.until('the quota to be known', async () =>
      (await curtail.events('QuotaChanged', dept.queue)).some(
        ({ data }) => data.current.max?.vcore === 30_000,
      ),
    );
    await curtail.handled();
    const before = await clockOf(dept.queue);
    await save(team, 50, hard);
    await save(team, 49, hard);
    expect(await clockOf(dept.queue)).toEqual(before);
    expect(await clockOf(team.queue)).not.toEqual([]);
    const [row] = await system.db.query<{ delay: string; pending: boolean }[]>(
      `SELECT q.delay_ms AS delay, EXISTS (SELECT FROM timers t WHERE t.name = q.path AND t.state = 'pending') AS pending
       FROM queues q WHERE path = $1`,
      [dept.queue],
    );
    expect(row).toEqual({ delay: '600000', pending: true });
  });

  it('is enforced below those of the namespaces below it, in one run, and moves no clock of theirs', async () => {
    const dept = await governed(20, '100ms');
    const [one, two] = [await below(dept.namespace, 10), await below(dept.namespace, 8)];
    await run(one.queue, [[names('one', 6), low]]);
    await run(two.queue, [[names('two', 3), low]]);
    await curtail.settled();
    const before = [await clockOf(one.queue), await clockOf(two.queue)];
    await kubernetes.quota(dept.namespace, { 'requests.cpu': '6' });
    expect((await curtail.ended(dept.queue)).data).toMatchObject({ outcome: 'satisfied', evicted: 3 });
    await curtail.settled();
    const left = await Promise.all([one, two].map(({ namespace }) => kubernetes.remaining(namespace)));
    expect(left.map(({ length }) => length)).toEqual([4, 2]);
    await kubernetes.quota(dept.namespace, { 'requests.cpu': '7' });
    await system.until('the raised quota to be known', async () =>
      (await curtail.events('QuotaChanged', dept.queue)).some(({ data }) => data.current.max?.vcore === 7000),
    );
    await curtail.settled();
    expect([await clockOf(one.queue), await clockOf(two.queue)]).toEqual(before);
    // The quota of one team goes down, and stays above that of the department: its own clock runs, and finds nothing to do.
    await kubernetes.quota(one.namespace, { 'requests.cpu': '9' });
    await curtail.event(
      'EnforcementCancelled',
      one.queue,
      before[0]!.filter(({ name }) => name === 'EnforcementCancelled').length + 1,
    );
    expect(await kubernetes.remaining(one.namespace)).toHaveLength(4);
  });
});

/** Curtail does not ask disruption budgets for this queue; the API server still does. */
async function ignoreBudgets(queue: string): Promise<void> {
  const body = { queue, settings: { disruptionBudgets: 'ignore' } };
  const { status } = await system.request('PATCH', '/v1/partitions/default/settings', body);
  expect(status).toBe(200);
}

describe('a disruption budget without room', () => {
  const labels = { app: 'web' };
  const work: [names: string[], of: object][] = [
    [['held'], { ...low, labels }],
    [names('low', 2), low],
    [['high'], high],
  ];

  it('spares its own pod only: other work goes in its place, and the plan says so', async () => {
    const { namespace, queue } = await governed(10);
    await run(queue, work);
    await kubernetes.budget(namespace, 'web', 1, labels);
    const budget = `${namespace}/web`;
    await system.until('the budget of the pod to be known', async () =>
      (await curtail.allocation(`${namespace}/held`))?.budgets?.includes(budget),
    );
    await kubernetes.quota(namespace, { 'requests.cpu': '1' });
    expect((await curtail.ended(queue)).data).toMatchObject({ outcome: 'satisfied', evicted: 3, failed: 0 });
    expect((await curtail.event('PlanComputed', queue)).data.plan.notices).toContainEqual(
      expect.objectContaining({ code: 'disruption-budget', message: expect.stringContaining(budget) }),
    );
    await gone(namespace, ['held']);
    expect(await kubernetes.remaining(namespace)).toEqual(['held']);
  });

  it('of which the plan takes no heed blocks its own pod only: the eviction is retried until there is room', async () => {
    const { namespace, queue } = await governed(10);
    await ignoreBudgets(queue);
    await run(queue, work);
    await kubernetes.budget(namespace, 'web', 1, labels);
    await kubernetes.quota(namespace, { 'requests.cpu': '1' });
    await gone(namespace, ['held', 'high']);
    expect((await curtail.event('VictimRefused', queue)).data).toMatchObject({
      allocation: `${namespace}/held`,
      code: 'disruption-budget',
    });
    await kubernetes.remove(`/apis/policy/v1/namespaces/${namespace}/poddisruptionbudgets/web`);
    expect((await curtail.ended(queue)).data).toMatchObject({ outcome: 'satisfied', evicted: 3, failed: 0 });
    expect(await kubernetes.remaining(namespace)).toEqual(['high']);
  });
});

describe('pods that are not ready, in a disruption budget without room', () => {
  const labels = { app: 'web' };
  const broken = { spec: { priorityClassName: 'test-broken' }, labels };

  it.each<[string, number, object, string[]]>([
    ['go before good ones with AlwaysAllow', 4, { unhealthyPodEvictionPolicy: 'AlwaysAllow' }, []],
    ['go before good ones while enough others are healthy', 2, {}, []],
    ['stay while too few are healthy', 4, {}, names('broken', 3)],
  ])('%s', async (_, minAvailable, policy, stay) => {
    const { namespace, queue } = await governed(20);
    await run(queue, [
      [names('web', 2), { ...low, labels }],
      [names('job', 5), high],
      [names('broken', 3), broken],
    ]);
    for (const name of names('broken', 3)) {
      const path = `/api/v1/namespaces/${namespace}/pods/${name}/status`;
      const conditions = [{ type: 'Ready', status: 'False', reason: 'CrashLoopBackOff' }];
      await kubernetes.ask(
        'PATCH',
        path,
        { status: { conditions } },
        {
          contentType: 'application/strategic-merge-patch+json',
        },
      );
    }
    await kubernetes.budget(namespace, 'web', minAvailable, labels);
    const budgetPath = `/apis/policy/v1/namespaces/${namespace}/poddisruptionbudgets/web`;
    await kubernetes.patch(budgetPath, { spec: policy });
    await kubernetes.until('the budget to count two healthy pods', async () => {
      const { metadata, status } = await kubernetes.ask('GET', budgetPath);
      const { observedGeneration, currentHealthy, disruptionsAllowed } = status;
      return observedGeneration === metadata.generation && currentHealthy === 2 && disruptionsAllowed === 0;
    });
    const charged = [...stay, ...names('web', 2)].map((name) => `${namespace}/${name}`);
    await system.until('exactly the protected pods to count in the budget', async () => {
      const found = await system.cluster.allocations({ partition: 'default', queue, limit: 100 });
      const inBudget = found.filter(({ budgets = [] }) => budgets.length > 0).map(({ id }) => id);
      return `${inBudget.sort()}` === `${charged}`;
    });
    await kubernetes.quota(namespace, { 'requests.cpu': '7' });
    expect((await curtail.ended(queue)).data).toMatchObject({ outcome: 'satisfied', evicted: 3, failed: 0 });
    const gone = (await evictedOf(queue)).map((id) => id.slice(namespace.length + 1, -2));
    expect(new Set(gone)).toEqual(new Set([stay.length > 0 ? 'job' : 'broken']));
    expect(await kubernetes.allowed(namespace, 'web')).toBe(0);
  });
});

describe('a pod', () => {
  it('that takes the name of a victim between plan and eviction stays', async () => {
    const { namespace, queue } = await governed(4);
    await ignoreBudgets(queue);
    const labels = { app: 'web' };
    const [victim] = await run(queue, [
      [['web-0'], { ...low, labels, cpu: '2' }],
      [names('high', 2), high],
    ]);
    await kubernetes.budget(namespace, 'web', 1, labels);
    await kubernetes.quota(namespace, { 'requests.cpu': '3' });
    expect((await curtail.event('VictimRefused', queue)).data).toMatchObject({
      allocation: `${namespace}/web-0`,
      code: 'disruption-budget',
    });
    await kubernetes.remove(pathOf(victim!), 0);
    // The API server counts freed room a moment later, and only then admits pods by it.
    let next: Thing | undefined;
    await kubernetes.until('room in the quota', async () => {
      try {
        [next] = await kubernetes.runningPods(namespace, ['web-0'], { node, ...low, labels });
        return true;
      } catch (error) {
        if (!/exceeded quota/.test((error as Error).message)) throw error;
        return false;
      }
    });
    await kubernetes.remove(`/apis/policy/v1/namespaces/${namespace}/poddisruptionbudgets/web`);
    expect((await curtail.ended(queue)).data).toMatchObject({ outcome: 'satisfied', evicted: 0, gone: 1 });
    expect(await kubernetes.ask('GET', pathOf(next!))).toMatchObject({
      metadata: { uid: next!.metadata.uid, resourceVersion: next!.metadata.resourceVersion },
    });
    expect(await kubernetes.remaining(namespace)).toEqual([...names('high', 2), 'web-0']);
  });

  it('that a finalizer holds counts as leaving, however it was deleted: no other pod is evicted in its place', async () => {
    const { namespace, queue } = await governed(5);
    const held = { ...low, finalizers: ['test.curtail.io/hold'] };
    const [deleted] = await run(queue, [
      [['deleted', 'evicted'], held],
      [names('high', 3), high],
    ]);
    const standsAside = async (hard: Record<string, string>) => {
      const before = (await curtail.events('EnforcementCancelled', queue)).length;
      await kubernetes.quota(namespace, hard);
      await curtail.event('EnforcementCancelled', queue, before + 1);
    };
    await kubernetes.remove(pathOf(deleted!), 1);
    await system.until('it to be known as leaving', async () => {
      const found = await curtail.allocation(`${namespace}/deleted`);
      return found?.state === 'releasing';
    });
    await standsAside({ 'requests.cpu': '4' });
    await kubernetes.quota(namespace, { 'requests.cpu': '3' });
    expect((await curtail.ended(queue)).data).toMatchObject({ outcome: 'satisfied', evicted: 1 });
    expect(await curtail.usage(queue)).toMatchObject({ pods: 5 });
    await standsAside({ 'requests.cpu': '3', pods: '3' });
    expect(await curtail.events('EnforcementStarted', queue)).toHaveLength(1);
    expect(await evictedOf(queue)).toEqual([`${namespace}/evicted`]);
    expect(await kubernetes.remaining(namespace)).toEqual(names('high', 3));
  });
});

describe('the API server', () => {
  it('may be restarted during a run: the planned pods end, each evicted once', async () => {
    const { namespace, queue } = await governed(20);
    await run(queue, [
      [names('low', 8), low],
      [names('high', 2), high],
    ]);
    await kubernetes.quota(namespace, { 'requests.cpu': '2' });
    await curtail.event('VictimOrdered', queue);
    await kubernetes.plane.apiServer.kill();
    await kubernetes.plane.apiServer.start();
    expect((await curtail.ended(queue)).data).toMatchObject({ outcome: 'satisfied', failed: 0 });
    const planned = (await curtail.event('PlanComputed', queue)).data.plan.victims.map(
      ({ allocation }) => allocation,
    );
    expect(planned.sort()).toEqual(names('low', 8).map((name) => `${namespace}/${name}`));
    await gone(namespace, names('high', 2));
    expect(await kubernetes.remaining(namespace)).toEqual(names('high', 2));
    const ended = (await curtail.events('VictimGone', queue)).map(({ data }) => data.allocation);
    expect([...(await evictedOf(queue)), ...ended].sort()).toEqual(planned);
    const evicted = (await kubernetes.events(namespace)).filter(({ reason }) => reason === 'Evicted');
    expect(evicted.map(({ on }) => on)).toEqual([...new Set(evicted.map(({ on }) => on))]);
  });

  it('is unavailable: nothing is planned or evicted, with a notice; the run completes when it is back', async () => {
    const { namespace, queue } = await governed(10, '7s');
    await run(queue, [
      [names('low', 2), low],
      [names('high', 2), high],
    ]);
    await kubernetes.quota(namespace, { 'requests.cpu': '2' });
    const { dueAt } = (await curtail.event('EnforcementRescheduled', queue)).data;
    await way.cut();
    const { notices } = await system.until('the cluster to be unknown', async () => {
      const { items } = await system.get<{ items: Known[] }>('/v1/inventory?partition=default');
      return items[0]?.known === false && items[0];
    });
    expect(notices).toMatchObject([{ code: 'silent', remedy: expect.any(String) }]);
    await system.until('the run to be due', async () => {
      const [row] = await system.db.query<{ due: boolean }[]>(
        "SELECT now() > $1::timestamptz + interval '1 s' AS due",
        [dueAt],
      );
      return row?.due;
    });
    expect(await curtail.events('PlanComputed', queue)).toEqual([]);
    expect(await kubernetes.remaining(namespace)).toEqual([...names('high', 2), ...names('low', 2)]);
    await way.pass();
    expect((await curtail.ended(queue)).data).toMatchObject({ outcome: 'satisfied', evicted: 2 });
    expect(await kubernetes.remaining(namespace)).toEqual(names('high', 2));
  });
});
