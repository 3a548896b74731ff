import { randomUUID } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { pathOf, TestKubernetes, type Thing } from '../../../../test/support/kubernetes.js';
import { TcpProxy } from '../../../../test/support/tcp-proxy.js';
import type { RequestToAgent } from '../port.js';
import { type Call, KubernetesApi, type ServerAnswer } from './api.js';
import { PodEvictor } from './evictor.js';
import type { Pod } from './objects.js';
import { type PodWork, podWork } from './pod-work.js';

let kubernetes: TestKubernetes;
let node: string;
let namespace: string;
/** The calls of the evictor to the API server. */
let calls: { method: string; path: string; body: unknown; code: number }[];
let failures: Error[];
let mode: 'observe' | 'enforce';
/** Whether a disruption budget may be charged, as far as the evictor knows. */
let mayCharge: boolean;
/** Pods as the evictor has seen them; one that is not here it has to read. */
let seen: Map<string, PodWork>;
/** The answers to all calls, including notifications that the evictor does not wait for. */
let answered: Promise<unknown>[];

beforeAll(async () => {
  kubernetes = await TestKubernetes.open();
  node = await kubernetes.node();
});
afterAll(() => kubernetes.close());
beforeEach(async () => {
  calls = [];
  failures = [];
  mode = 'enforce';
  mayCharge = true;
  answered = [];
  seen = new Map();
  namespace = await kubernetes.namespace();
});
afterEach(() => Promise.all(answered));

function evictor(
  api: KubernetesApi = kubernetes.admin,
  change = (call: Call | undefined) => call,
): PodEvictor {
  const call = async (method: string, path: string, asked?: Call): Promise<ServerAnswer> => {
    const answer = api.call(method, path, change(asked));
    answered.push(answer.catch(() => undefined));
    calls.push({ method, path, body: asked?.body, code: (await answer).code });
    return answer;
  };
  return new PodEvictor({ call } as KubernetesApi, {
    mode: () => mode,
    find: (id) => seen.get(id),
    isProtected: (name) => name === 'kube-system',
    hasBudget: () => mayCharge,
    onNotifyFailed: (error) => failures.push(error),
    newName: () => randomUUID(),
    now: () => new Date(),
  });
}

const as = async (user: 'admin' | 'nobody') =>
  KubernetesApi.open({ kubeconfig: await kubernetes.kubeconfig({ user }) });
const see = (pod: Thing) => seen.set(idOf(pod), podWork(pod as unknown as Pod, [])!);
const idOf = ({ metadata }: Thing) => `${metadata.namespace}/${metadata.name}`;
const requestFor = (pod: Thing, more: Partial<RequestToAgent> = {}): RequestToAgent => ({
  partition: 'default',
  evictionId: `eviction-${pod.metadata.name}`,
  attempt: 1,
  allocation: idOf(pod),
  uid: pod.metadata.uid,
  application: 'app',
  queue: `root.${namespace}`,
  graceSeconds: 7,
  reason: 'The quota of root was lowered.',
  deadlineAt: '2100-01-01T00:00:00Z',
  ...more,
});
const now = (pod: Thing) => kubernetes.ask('GET', pathOf(pod));
const markOf = async (pod: Thing) => (await now(pod)).metadata.annotations?.['curtail.io/enforcement'];
const running = async (name: string, more = {}) =>
  (await kubernetes.runningPods(namespace, [name], { node, graceSeconds: 30, ...more }))[0]!;

describe('an eviction whose answer is lost', () => {
  let way: TcpProxy & { url: string };
  let api: KubernetesApi;
  beforeEach(async () => {
    way = await TcpProxy.to(kubernetes.plane.url);
    api = KubernetesApi.open({ kubeconfig: await kubernetes.kubeconfig({ server: way.url }) });
    mayCharge = false;
  });
  afterEach(async () => {
    api.close();
    await way.cut();
  });
  const eventOn = (name: string) =>
    kubernetes.until('the event on the pod', async () =>
      (await kubernetes.events(namespace)).find(
        ({ on, reason }) => on === `Pod/${name}` && reason === 'Evicted',
      ),
    );
  /** More bytes than any other call sends. */
  const ofEviction = 300;

  it('is read back from the pod: it is accepted, once, and its owner hears of it', async () => {
    const pod = await running('victim');
    see(pod);
    // The connection is there before the request.
    await api.get('/version');
    const lost = way.swallowNextAnswer(ofEviction);
    expect(await evictor(api).evict(requestFor(pod))).toEqual({ answer: 'accepted' });
    await lost;
    expect(await kubernetes.accepted(namespace)).toEqual(['victim']);
    expect((await eventOn('victim')).note).toContain('Evicted by Curtail (eviction-victim)');
    await kubernetes.until('the mark', async () => (await markOf(pod)) === 'eviction-victim');
  });

  it('and that another has deleted meanwhile is not ours', async () => {
    const pod = await running('victim');
    see(pod);
    await way.hole();
    const outcome = evictor(api)
      .evict(requestFor(pod))
      .then(
        () => 'answered',
        () => 'not known',
      );
    await kubernetes.remove(pathOf(pod), 30);
    await kubernetes.until('the request to be lost', async () => way.lostBytes > 0);
    await way.pass();
    expect(await outcome).toBe('not known');
    expect(await kubernetes.accepted(namespace)).toEqual([]);
    expect(await kubernetes.events(namespace)).toEqual([]);
  });
});

describe('an eviction that Curtail has recorded', () => {
  const victim = (pod: Thing) => ({
    ...{ partition: 'default', enforcement: 'e-1', queue: 'root', victimQueue: `root.${namespace}` },
    ...{ allocation: idOf(pod), uid: pod.metadata.uid, application: 'app', rank: 1 },
  });
  const evicted = (pod: Thing) => ({
    kind: 'evicted' as const,
    data: {
      ...victim(pod),
      ...{ evictionId: 'eviction-victim', resources: {}, reason: 'The quota was lowered.', recovered: true },
    },
  });
  const unknown = (pod: Thing) => ({
    kind: 'unknown' as const,
    data: {
      ...victim(pod),
      ...{ code: 'gone-after-request' as const, message: 'It is gone.' },
      about: { kind: 'allocation' as const, name: idOf(pod) },
    },
  });
  const eventsOf = () =>
    kubernetes.until('an event', async () => {
      const found = await kubernetes.events(namespace);
      return found.length > 0 && found;
    });

  it.each([
    ['as evicted', evicted, /^Evicted by Curtail \(eviction-victim\) from queue root\./],
    [
      'without knowing who ended it',
      unknown,
      /^Curtail \(e-1\) requested the eviction of this pod from queue root\./,
    ],
  ])('%s is told on the pod, although it is gone, once', async (_, recorded, note) => {
    const pod = await running('victim');
    await kubernetes.remove(pathOf(pod), 0);
    // Two agents, as before and after a restart.
    await evictor().recorded(recorded(pod) as never);
    const events = await eventsOf();
    await evictor().recorded(recorded(pod) as never);
    await kubernetes.until(
      'the second attempt',
      async () => calls.filter(({ code }) => code === 409).length === 1,
    );
    expect(events).toEqual([
      { on: 'Pod/victim', reason: 'Evicted', type: 'Warning', note: expect.stringMatching(note) },
    ]);
    expect(await kubernetes.events(namespace)).toHaveLength(1);
    expect(failures).toEqual([]);
  });

  it('by this agent is not told again', async () => {
    const pod = await running('victim');
    see(pod);
    const one = evictor();
    await one.evict(requestFor(pod));
    await kubernetes.until('the mark', async () => (await markOf(pod)) === 'eviction-victim');
    const before = calls.length;
    await one.recorded(evicted(pod) as never);
    expect(calls).toHaveLength(before);
  });
});

describe('an eviction that is accepted', () => {
  it('gives the pod its grace period, and names run, reason and quota on it and on its owner', async () => {
    const owner = await kubernetes.ask('POST', `/api/v1/namespaces/${namespace}/configmaps`, {
      metadata: { name: 'owner' },
    });
    const pod = await running('victim', {
      owner: { apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid: owner.metadata.uid },
    });
    see(pod);
    expect(await evictor().evict(requestFor(pod))).toEqual({ answer: 'accepted' });
    const { metadata, status } = await now(pod);
    expect(metadata.deletionGracePeriodSeconds).toBe(30);
    expect(status.conditions).toContainEqual(
      expect.objectContaining({ type: 'DisruptionTarget', reason: 'EvictionByEvictionAPI' }),
    );
    const note = `Evicted by Curtail (eviction-victim) from queue root.${namespace}: The quota of root was lowered.`;
    const events = await kubernetes.until('both events', async () => {
      const found = await kubernetes.events(namespace);
      return found.length === 2 && found;
    });
    expect(events).toEqual(
      expect.arrayContaining([
        { on: 'Pod/victim', reason: 'Evicted', note, type: 'Warning' },
        { on: 'ConfigMap/owner', reason: 'PodEvicted', note: `Pod victim: ${note}`, type: 'Warning' },
      ]),
    );
    await kubernetes.until('the mark', async () => (await markOf(pod)) === 'eviction-victim');
    expect(failures).toEqual([]);
  });

  it.each([
    ['the longer time of the request', 30, 90, 90],
    ['its own time where the request gives none', 30, 0, 30],
    ['a second where neither gives any', 0, 0, 1],
  ])('gives the pod %s', async (_what, own, graceSeconds, given) => {
    const pod = await running('victim', { graceSeconds: own });
    see(pod);
    // Otherwise they would end it before the check.
    await kubernetes.plane.kubelets.find();
    await kubernetes.plane.kubelets.freeze();
    try {
      expect(await evictor().evict(requestFor(pod, { graceSeconds }))).toEqual({ answer: 'accepted' });
      expect((await now(pod)).metadata.deletionGracePeriodSeconds).toBe(given);
    } finally {
      await kubernetes.plane.kubelets.thaw();
    }
  });

  it('is asked for once where no budget can be charged', async () => {
    const pod = await running('victim');
    see(pod);
    mayCharge = false;
    expect(await evictor().evict(requestFor(pod))).toEqual({ answer: 'accepted' });
    expect(calls.filter(({ path }) => path.endsWith('/eviction')).map(({ code }) => code)).toEqual([201]);
  });

  it('was asked for in a dry run first, which changes nothing', async () => {
    const pod = await running('victim');
    see(pod);
    const onlyRehearses = (call: Call | undefined): Call | undefined => {
      const body = call?.body as { deleteOptions?: { dryRun?: string[] } };
      if (body?.deleteOptions && !body.deleteOptions.dryRun) throw new Error('now for real');
      return call;
    };
    await expect(evictor(kubernetes.admin, onlyRehearses).evict(requestFor(pod))).rejects.toThrow(
      'now for real',
    );
    // The pod is read afterwards, since an answer that is lost says nothing.
    const evictions = calls.filter(({ path }) => path.endsWith('/eviction'));
    expect(evictions.map(({ code }) => code)).toEqual([201]);
    expect((await now(pod)).metadata.resourceVersion).toBe(pod.metadata.resourceVersion);
  });

  it('of a pod that waits for a node needs no time', async () => {
    const pod = await kubernetes.pod(namespace, 'waits', { node: undefined, cpu: '99999' });
    expect(await evictor().evict(requestFor(pod, { graceSeconds: 0 }))).toEqual({ answer: 'accepted' });
    expect(await kubernetes.remaining(namespace)).toEqual([]);
  });

  it('may be announced before, on the pod and to its owner', async () => {
    const pod = await running('victim');
    see(pod);
    await evictor().announce({ ...requestFor(pod), killAt: '2026-11-23T10:00:00.000Z' } as never);
    expect((await now(pod)).metadata.annotations).toMatchObject({
      'curtail.io/evict-after': '2026-11-23T10:00:00.000Z',
    });
    expect(await kubernetes.events(namespace)).toMatchObject([
      { on: 'Pod/victim', reason: 'EvictionAnnounced' },
    ]);
  });
});

describe('a pod that is leaving already', () => {
  it.each(['that is known', 'that is not known yet'])('is not hurried (%s)', async (what) => {
    const pod = await running('leaves');
    await kubernetes.remove(pathOf(pod), 30);
    see(what === 'that is known' ? await now(pod) : pod);
    expect(await evictor().evict(requestFor(pod, { graceSeconds: 1 }))).toEqual({
      answer: 'accepted',
      repeated: true,
    });
    expect((await now(pod)).metadata.deletionGracePeriodSeconds).toBe(30);
    // Curtail has not sent it away.
    expect(await kubernetes.events(namespace)).toEqual([]);
    expect(await markOf(pod)).toBeUndefined();
  });

  it('is notified once, even if the agent that evicted it died before the notification', async () => {
    const owner = await kubernetes.ask('POST', `/api/v1/namespaces/${namespace}/configmaps`, {
      metadata: { name: 'owner' },
    });
    const pod = await running('victim', {
      owner: { apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid: owner.metadata.uid },
    });
    see(pod);
    const diesAfter = (call: Call | undefined): Call | undefined => {
      if ((call?.body as { kind?: string } | undefined)?.kind === 'Eviction') return call;
      throw new Error('this agent has died');
    };
    expect(await evictor(kubernetes.admin, diesAfter).evict(requestFor(pod))).toEqual({ answer: 'accepted' });
    expect(await kubernetes.events(namespace)).toEqual([]);
    const answers = await Promise.all(
      [1, 2].map((attempt) =>
        evictor().evict(requestFor(pod, { attempt, evictionId: `eviction-${attempt}` })),
      ),
    );
    expect(answers).toEqual([1, 2].map(() => ({ answer: 'accepted', repeated: true })));
    expect((await kubernetes.events(namespace)).map(({ on, reason }) => `${reason} on ${on}`).sort()).toEqual(
      ['Evicted on Pod/victim', 'PodEvicted on ConfigMap/owner'],
    );
    expect(await markOf(pod)).toMatch(/^eviction-[12]$/);
    calls = [];
    await evictor().evict(requestFor(pod));
    expect(calls.filter(({ method, path }) => method !== 'GET' && !path.endsWith('/eviction'))).toEqual([]);
  });

  it('is evicted once, by however many requests at the same time', async () => {
    const pod = await running('victim');
    see(pod);
    const answers = await Promise.all(
      [5, 6, 7, 8].map((graceSeconds) => evictor().evict(requestFor(pod, { graceSeconds }))),
    );
    expect(answers.filter((answer) => answer.answer === 'accepted' && !answer.repeated)).toHaveLength(1);
    expect(answers.filter((answer) => answer.answer === 'accepted' && answer.repeated)).toHaveLength(3);
  });

  it('stays as long as a finalizer holds it, and is evicted once', async () => {
    const pod = await running('held', { finalizers: ['test.curtail.io/hold'] });
    see(pod);
    expect(await evictor().evict(requestFor(pod, { graceSeconds: 0 }))).toEqual({ answer: 'accepted' });
    const { metadata } = await now(pod);
    expect(metadata.deletionTimestamp).toBeDefined();
    seen.clear();
    expect(await evictor().evict(requestFor(pod))).toEqual({ answer: 'accepted', repeated: true });
  });
});

it('tells an owner of an answer that was just accepted, and of none that an agent reads from long ago', async () => {
  const pod = await running('victim');
  see(pod);
  const { uid } = pod.metadata;
  const answered = (id: string, answeredAt: Date) =>
    evictor().answered({
      kind: 'accepted',
      data: {
        ...{
          partition: 'default',
          allocation: idOf(pod),
          queue: `root.${namespace}`,
          application: 'app',
          by: 'ann',
        },
        ...{ answer: 'ready', id: `${uid}/${id}`, answeredAt: answeredAt.toISOString() },
      },
    });
  await answered('ready/1', new Date(Date.now() - 7_200_000));
  await answered('ready/2', new Date());
  await kubernetes.until('an event', async () => (await kubernetes.events(namespace)).length > 0);
  expect((await kubernetes.events(namespace)).map(({ reason }) => reason)).toEqual(['AnswerAccepted']);
});

describe('a pod that was not meant', () => {
  it('under the name of one that has gone stays', async () => {
    const first = await running('web-0');
    see(first);
    await kubernetes.remove(pathOf(first), 0);
    // It need not run: a kubelet that still ends the first one may be late with it.
    const second = await kubernetes.pod(namespace, 'web-0', { node, graceSeconds: 30 });
    expect(second.metadata.uid).not.toBe(first.metadata.uid);
    expect(await evictor().evict(requestFor(first))).toEqual({
      answer: 'other-incarnation',
      uid: second.metadata.uid,
    });
    const { uid, deletionTimestamp, annotations } = (await now(second)).metadata;
    expect({ uid, deletionTimestamp, annotations }).toEqual({ uid: second.metadata.uid });
  });

  it('never takes room from a disruption budget', async () => {
    const labels = { app: 'web' };
    const [pod] = await kubernetes.runningPods(namespace, ['a', 'b'], { node, labels });
    await kubernetes.budget(namespace, 'web', 1, labels);
    await kubernetes.until(
      'room in the budget',
      async () => (await kubernetes.allowed(namespace, 'web')) === 1,
    );
    see({ ...pod!, metadata: { ...pod!.metadata, uid: randomUUID() } });
    const wrong = requestFor(pod!, { uid: seen.get(idOf(pod!))!.uid });
    expect(await evictor().evict(wrong)).toEqual({ answer: 'other-incarnation', uid: pod!.metadata.uid });
    expect(calls.map(({ code }) => code)).toEqual([409, 200]);
    expect(await kubernetes.allowed(namespace, 'web')).toBe(1);
  });

  it('that has gone is gone, and so is one that has ended', async () => {
    const pod = await running('ends');
    expect(
      await evictor().evict(requestFor({ ...pod, metadata: { ...pod.metadata, name: 'no-such' } })),
    ).toEqual({
      answer: 'gone',
    });
    await kubernetes.ask(
      'PATCH',
      `${pathOf(pod)}/status`,
      { status: { phase: 'Succeeded' } },
      {
        contentType: 'application/merge-patch+json',
      },
    );
    expect(await evictor().evict(requestFor(pod))).toEqual({ answer: 'gone' });
    expect(await kubernetes.remaining(namespace)).toEqual(['ends']);
  });

  it('that was changed in the meantime is read again, and evicted if it has the same uid', async () => {
    const pod = await running('busy');
    see(pod);
    await kubernetes.patch(pathOf(pod), { metadata: { annotations: { progress: '50%' } } });
    expect(await evictor().evict(requestFor(pod))).toEqual({ answer: 'accepted' });
  });

  it('stays if it was protected a moment ago', async () => {
    const pod = await running('precious');
    see(pod);
    await kubernetes.patch(pathOf(pod), { metadata: { labels: { 'curtail.io/protect': 'true' } } });
    expect(await evictor().evict(requestFor(pod))).toMatchObject({ answer: 'refused', code: 'protected' });
    expect(await kubernetes.remaining(namespace)).toEqual(['precious']);
  });
});

describe('the API server refuses', () => {
  const labels = { app: 'web' };

  it('429 of a budget: to be asked again later, without a word on when', async () => {
    const [pod] = await kubernetes.runningPods(namespace, ['a'], { node, labels });
    await kubernetes.budget(namespace, 'web', 1, labels);
    see(pod!);
    expect(await evictor().evict(requestFor(pod!))).toMatchObject({
      answer: 'refused',
      retryable: true,
      code: 'disruption-budget',
      retryAfterMs: 5000,
      message: expect.stringContaining('disruption budget'),
    });
    expect(await kubernetes.remaining(namespace)).toEqual(['a']);
  });

  it('429 of a budget that its controller has not counted yet: after the time that the server names', async () => {
    const [pod] = await kubernetes.runningPods(namespace, ['a'], { node, labels });
    see(pod!);
    await kubernetes.plane.controllers.find();
    await kubernetes.plane.controllers.freeze();
    try {
      await kubernetes.ask('POST', `/apis/policy/v1/namespaces/${namespace}/poddisruptionbudgets`, {
        metadata: { name: 'web' },
        spec: { minAvailable: 0, selector: { matchLabels: labels } },
      });
      expect(await evictor().evict(requestFor(pod!))).toMatchObject({
        answer: 'refused',
        retryable: true,
        code: 'disruption-budget',
        retryAfterMs: 10_000,
      });
    } finally {
      await kubernetes.plane.controllers.thaw();
    }
  });

  it('500 for two budgets: not to be asked again, with what would help', async () => {
    const [pod] = await kubernetes.runningPods(namespace, ['a'], { node, labels });
    await kubernetes.budget(namespace, 'one', 0, labels);
    await kubernetes.budget(namespace, 'two', 0, labels);
    see(pod!);
    expect(await evictor().evict(requestFor(pod!))).toMatchObject({
      answer: 'refused',
      retryable: false,
      code: 'disruption-budgets-several',
      message: expect.stringContaining('Remedy: keep only one that selects this pod'),
    });
  });

  it('403 without the right: not to be asked again', async () => {
    const pod = await running('a');
    see(pod);
    expect(await evictor(await as('nobody')).evict(requestFor(pod))).toMatchObject({
      answer: 'refused',
      retryable: false,
      code: 'forbidden',
      message: expect.stringContaining('cannot create resource "pods/eviction"'),
    });
  });

  it('401 with a token that has expired: to be asked again, for it may be renewed', async () => {
    const kubeconfig = await kubernetes.kubeconfig();
    await writeFile(kubeconfig, (await readFile(kubeconfig, 'utf8')).replace('admin-token', 'expired'));
    const pod = await running('a');
    see(pod);
    expect(await evictor(KubernetesApi.open({ kubeconfig })).evict(requestFor(pod))).toMatchObject({
      answer: 'refused',
      retryable: true,
      code: 'unauthorized',
    });
  });

  it('400 for an unknown field, and evicts no pod', async () => {
    const pod = await running('a');
    see(pod);
    const misspelt = (call: Call | undefined): Call | undefined => {
      const body = call?.body as { deleteOptions?: object };
      return body?.deleteOptions
        ? { ...call, body: { ...body, deleteOptions: { ...body.deleteOptions, gracePeriod: 600 } } }
        : call;
    };
    expect(await evictor(kubernetes.admin, misspelt).evict(requestFor(pod))).toMatchObject({
      answer: 'refused',
      retryable: false,
      code: 'bad-request',
      message: expect.stringContaining('unknown field "deleteOptions.gracePeriod"'),
    });
    expect(await kubernetes.remaining(namespace)).toEqual(['a']);
  });

  it('nothing at all: no answer is made up', async () => {
    const kubeconfig = await kubernetes.kubeconfig({ server: 'https://127.0.0.1:1' });
    const pod = await running('a');
    see(pod);
    await expect(evictor(KubernetesApi.open({ kubeconfig })).evict(requestFor(pod))).rejects.toThrow(
      'ECONNREFUSED',
    );
  });
});

describe('an agent that only observes', () => {
  it('asks the API server for nothing: no eviction, no annotation, no event', async () => {
    const pod = await running('a');
    see(pod);
    mode = 'observe';
    const only = evictor();
    expect(await only.evict(requestFor(pod))).toMatchObject({
      answer: 'refused',
      retryable: false,
      code: 'observe',
    });
    await only.announce({ ...requestFor(pod), killAt: '2026-11-23T10:00:00.000Z' } as never);
    await only.event(namespace, { kind: 'Pod', name: 'a', uid: pod.metadata.uid }, 'Any', 'note', 'Normal');
    expect(calls).toEqual([]);
    expect((await now(pod)).metadata.resourceVersion).toBe(pod.metadata.resourceVersion);
  });
});

describe('protected pods', () => {
  it('are not even asked for: of a protected namespace, and with the label', async () => {
    const pod = await running('precious', { labels: { 'curtail.io/protect': '' } });
    expect(await evictor().evict(requestFor(pod))).toMatchObject({ answer: 'refused', retryable: false });
    const system = requestFor(pod, { allocation: 'kube-system/dns' });
    seen.set('kube-system/dns', { ...podWork(pod as unknown as Pod, [])!, isProtected: false });
    expect(await evictor().evict(system)).toMatchObject({ answer: 'refused', code: 'protected' });
    expect(calls.filter(({ method }) => method === 'POST')).toEqual([]);
  });

  it('no pod of a namespace is named by anything but namespace/name', async () => {
    const pod = await running('a');
    for (const allocation of [
      'a',
      '../a',
      `${namespace}/a/eviction`,
      `${namespace}/`,
      '/a',
      `${namespace}/a?dryRun=All`,
    ]) {
      expect(await evictor().evict(requestFor(pod, { allocation }))).toMatchObject({ code: 'no-pod' });
    }
    expect(calls).toEqual([]);
  });
});
