import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { LabelSelector, Pod, PodDisruptionBudget } from './objects.js';
import { PodBudgets } from './pod-budgets.js';
import { PodInventory } from './pod-inventory.js';
import type { FieldOfObject } from './queue-source.js';

const pod = (name: string, uid: string, node?: string): Pod => ({
  metadata: { name, namespace: 'ns', uid, resourceVersion: '1', creationTimestamp: '2026-11-21T10:00:00Z' },
  spec: {
    ...(node && { nodeName: node }),
    containers: [{ name: 'main', resources: { requests: { cpu: '1' } } }],
  },
  status: { phase: node ? 'Running' : 'Pending' },
});

describe('what protects pods', () => {
  let budgets: PodBudgets;
  let inventory: PodInventory;
  beforeEach(() => {
    budgets = new PodBudgets();
    inventory = new PodInventory({
      originators: [],
      place: () => ({ partition: 'default', queue: 'root.a', application: { id: 'app' } }),
      partitionOfNode: () => 'default',
      isProtected: () => false,
      budgets: () => budgets,
      onChange: () => {},
      onUnreadable: () => {},
    });
  });
  const changes = () => inventory.partition('default').changes();
  const labelled = (
    name: string,
    labels: Record<string, string>,
    annotations?: Record<string, string>,
  ): Pod => {
    const one = pod(name, `uid-${name}`, 'n1');
    return { ...one, metadata: { ...one.metadata, labels, ...(annotations && { annotations }) } };
  };
  const budget = (
    name: string,
    selector: LabelSelector | undefined,
    allowed?: number,
  ): PodDisruptionBudget => ({
    metadata: { name, namespace: 'ns', uid: name, resourceVersion: '1' },
    spec: selector ? { selector } : {},
    ...(allowed !== undefined && { status: { disruptionsAllowed: allowed } }),
  });
  const set = (...all: PodDisruptionBudget[]) => {
    budgets = new PodBudgets(all);
    inventory.budgetsChanged();
  };

  it('are the budgets that select them; a change of one is reported, and a pod again where its budgets change', () => {
    inventory.pods.replace([labelled('p1', { app: 'web' }), labelled('p2', { app: 'db', tier: 'x' })]);
    expect(changes()).toMatchObject({ budgets: [], budgetsGone: [] });
    set(budget('web', { matchLabels: { app: 'web' } }, 1), budget('all', {}));
    const first = changes();
    expect(first.budgets).toEqual([
      { id: 'ns/web', allowed: 1 },
      { id: 'ns/all', allowed: 0 },
    ]);
    expect(first.allocations).toMatchObject([
      { id: 'ns/p1', budgets: ['ns/all', 'ns/web'] },
      { id: 'ns/p2', budgets: ['ns/all'] },
    ]);
    set(budget('web', { matchLabels: { app: 'web' } }, 0), budget('all', {}));
    expect(changes()).toMatchObject({ budgets: [{ id: 'ns/web', allowed: 0 }], allocations: [] });
    set(budget('web', { matchLabels: { app: 'web' } }, 0));
    expect(changes()).toMatchObject({
      budgetsGone: ['ns/all'],
      allocations: [{ id: 'ns/p1', budgets: ['ns/web'] }, { id: 'ns/p2' }],
    });
    expect(inventory.partition('default').listing().budgets).toEqual([{ id: 'ns/web', allowed: 0 }]);
  });

  it('are looked up again only in namespaces where a selector changes: what a budget allows changes all the time', () => {
    const asked: string[] = [];
    const web = budget('web', { matchLabels: { app: 'web' } }, 1);
    const change = (...all: PodDisruptionBudget[]) => {
      asked.length = 0;
      budgets = new (class extends PodBudgets {
        override of(work: Parameters<PodBudgets['of']>[0]): string[] {
          asked.push(work.namespace);
          return super.of(work);
        }
      })(all);
      inventory.budgetsChanged();
      return new Set(asked);
    };
    const other = pod('p2', 'uid-2', 'n1');
    inventory.pods.replace([
      labelled('p1', { app: 'web' }),
      { ...other, metadata: { ...other.metadata, namespace: 'ns2' } },
    ]);
    expect(change(web)).toEqual(new Set(['ns']));
    expect(change({ ...web, status: { disruptionsAllowed: 0 } })).toEqual(new Set());
    const wide = budget('web', {}, 0);
    expect(change(wide)).toEqual(new Set(['ns']));
    expect(change(wide, { ...wide, metadata: { ...wide.metadata, namespace: 'ns2' } })).toEqual(
      new Set(['ns2']),
    );
    expect(change()).toEqual(new Set(['ns', 'ns2']));
  });

  it.each<[string, LabelSelector | undefined, string[]]>([
    ['In', { matchExpressions: [{ key: 'app', operator: 'In', values: ['web', 'db'] }] }, ['web', 'db']],
    ['NotIn', { matchExpressions: [{ key: 'app', operator: 'NotIn', values: ['web'] }] }, ['db', 'none']],
    ['Exists', { matchExpressions: [{ key: 'app', operator: 'Exists' }] }, ['web', 'db']],
    ['DoesNotExist', { matchExpressions: [{ key: 'app', operator: 'DoesNotExist' }] }, ['none']],
    ['an operator that is not known', { matchExpressions: [{ key: 'app', operator: 'Like' }] }, []],
    ['no selector', undefined, []],
    ['an empty selector', {}, ['web', 'db', 'none']],
  ])('are selected by %s', (_, selector, selected) => {
    set(budget('b', selector, 1));
    inventory.pods.replace([
      labelled('web', { app: 'web' }),
      labelled('db', { app: 'db' }),
      labelled('none', {}),
    ]);
    const inBudget = changes().allocations.filter(({ budgets = [] }) => budgets.length > 0);
    expect(inBudget.map(({ id }) => id.slice(3))).toEqual(selected);
  });

  describe('and are charged by the rules of the eviction subresource', () => {
    const inState = (name: string, phase: string, ready?: 'True' | 'False', leaving = false): Pod => {
      const one = labelled(name, { app: 'web' });
      return {
        ...one,
        metadata: { ...one.metadata, ...(leaving && { deletionTimestamp: '2026-11-21T11:00:00Z' }) },
        status: { phase, ...(ready && { conditions: [{ type: 'Ready', status: ready }] }) },
      };
    };
    const web = (
      unhealthyPodEvictionPolicy: string | undefined,
      status: PodDisruptionBudget['status'],
    ): PodDisruptionBudget => ({
      metadata: { name: 'web', namespace: 'ns', uid: 'web', resourceVersion: '1', generation: 2 },
      spec: { selector: {}, ...(unhealthyPodEvictionPolicy && { unhealthyPodEvictionPolicy }) },
      status: { disruptionsAllowed: 0, observedGeneration: 2, ...status },
    });
    const charged = () =>
      inventory
        .partition('default')
        .listing()
        .allocations.flatMap(({ id, budgets = [] }) => (budgets.length > 0 ? [id.slice(3)] : []));
    const all = () => [
      inState('ready', 'Running', 'True'),
      inState('unready', 'Running', 'False'),
      inState('unknown', 'Running'),
      inState('starting', 'Pending', 'False'),
    ];

    it.each<[string, string | undefined, PodDisruptionBudget['status'], string[]]>([
      ['AlwaysAllow', 'AlwaysAllow', { currentHealthy: 0, desiredHealthy: 4 }, ['ready']],
      ['enough healthy ones', undefined, { currentHealthy: 2, desiredHealthy: 2 }, ['ready']],
      ['enough, by name', 'IfHealthyBudget', { currentHealthy: 3, desiredHealthy: 2 }, ['ready']],
      ['too few', undefined, { currentHealthy: 1, desiredHealthy: 2 }, ['ready', 'unready', 'unknown']],
      ['none wanted', undefined, { currentHealthy: 1, desiredHealthy: 0 }, ['ready', 'unready', 'unknown']],
      ['nothing counted yet', undefined, {}, ['ready', 'unready', 'unknown']],
      [
        'a policy to come',
        'Never',
        { currentHealthy: 1, desiredHealthy: 2 },
        ['ready', 'unready', 'unknown'],
      ],
    ])('with %s', (_, policy, status, expected) => {
      set(web(policy, status));
      inventory.pods.replace(all());
      expect(charged()).toEqual(expected);
    });

    it('but a pod that is not ready is refused in several', () => {
      set(web('AlwaysAllow', {}), budget('other', {}, 1));
      inventory.pods.replace(all());
      expect(charged()).toEqual(['ready', 'unready', 'unknown']);
    });

    it('again when its readiness, or the number of healthy ones, changes; as it was once it leaves', () => {
      const healthy = (currentHealthy: number) => set(web(undefined, { currentHealthy, desiredHealthy: 2 }));
      healthy(2);
      inventory.pods.replace([inState('p', 'Running', 'False'), inState('q', 'Running', 'True')]);
      expect(charged()).toEqual(['q']);
      inventory.pods.set(inState('p', 'Running', 'True'));
      expect(charged()).toEqual(['q', 'p'].sort());
      inventory.pods.set(inState('p', 'Running', 'False'));
      healthy(1);
      expect(charged()).toEqual(['p', 'q']);
      healthy(2);
      inventory.pods.set(inState('p', 'Running', 'False', true));
      inventory.pods.set(inState('q', 'Running', 'False', true));
      healthy(1);
      expect(charged()).toEqual(['q']);
    });

    it('and allow nothing while their controller has not seen what they say now', () => {
      set(web(undefined, { disruptionsAllowed: 3, observedGeneration: 1 }));
      expect(changes().budgets).toEqual([{ id: 'ns/web', allowed: 0 }]);
      set(web(undefined, { disruptionsAllowed: 3 }));
      expect(changes().budgets).toEqual([{ id: 'ns/web', allowed: 3 }]);
    });
  });

  it.each([
    [{ 'curtail.io/gang-min-members': '3' }, 3],
    [{ 'yunikorn.apache.org/task-groups': '[{"name":"a","minMember":1},{"name":"b","minMember":4}]' }, 5],
    [{ 'curtail.io/gang-min-members': '2', 'yunikorn.apache.org/task-groups': '[{"minMember":9}]' }, 2],
    [{ 'curtail.io/gang-min-members': 'many' }, undefined],
    [{ 'curtail.io/gang-min-members': '0' }, undefined],
    [{ 'yunikorn.apache.org/task-groups': '{' }, undefined],
    [{ 'yunikorn.apache.org/task-groups': '[null]' }, undefined],
  ])('is the gang of their application: %j', (annotations, minMembers) => {
    inventory.pods.replace([labelled('p1', {}, annotations), labelled('p2', {})]);
    expect(changes().applications[0]?.gang).toEqual(minMembers === undefined ? undefined : { minMembers });
  });

  it.each([
    ['2026-11-21T10:00:00+01:00', '2026-11-21T09:00:00.000Z'],
    ['yesterday', undefined],
  ])('is their checkpoint: %s', (written, at) => {
    inventory.pods.replace([labelled('p1', {}, { 'curtail.io/checkpointed-at': written })]);
    expect(changes().allocations[0]?.checkpointedAt).toBe(at);
  });
});

describe('answers of owners', () => {
  const unreadable: string[] = [];
  let inventory: PodInventory;
  beforeEach(() => {
    unreadable.length = 0;
    inventory = new PodInventory({
      originators: [],
      place: () => ({ partition: 'default', queue: 'root.a', application: { id: 'app' } }),
      partitionOfNode: () => 'default',
      isProtected: () => false,
      onChange: () => {},
      onUnreadable: (id, { message }) => unreadable.push(`${id}: ${message}`),
    });
  });
  const answered = (written: string | undefined, uid = 'u1', more: Record<string, string> = {}): Pod => {
    const one = pod('p1', uid, 'n1');
    const annotations = { ...(written !== undefined && { 'curtail.io/answer': written }), ...more };
    return { ...one, metadata: { ...one.metadata, annotations } };
  };
  const answers = () => inventory.partition('default').newAnswers();

  it('are sent when they are given, changed, or given again, and with a listing only once', () => {
    inventory.pods.replace([answered('extend', 'u1', { 'curtail.io/user': 'ann' })]);
    const first = { allocation: 'ns/p1', uid: 'u1', answer: 'extend', id: 'u1/extend', by: 'ann' };
    inventory.partition('default').listing();
    expect(answers()).toEqual([first]);
    inventory.pods.set(answered('extend', 'u1', { other: 'annotation' }));
    inventory.moved();
    inventory.partition('default').listing();
    expect(answers()).toEqual([]);
    inventory.pods.set(answered('extend/2'));
    inventory.pods.set(answered('ready'));
    expect(answers()).toMatchObject([
      { answer: 'extend', id: 'u1/extend/2', by: 'owner' },
      { answer: 'ready', id: 'u1/ready' },
    ]);
    inventory.pods.set(answered(undefined));
    inventory.pods.set(answered('ready'));
    inventory.pods.set(answered('ready', 'u2'));
    expect(answers()).toMatchObject([{ id: 'u1/ready' }, { id: 'u2/ready', uid: 'u2' }]);
  });

  it('that cannot be read are reported once, and the pod stays known', () => {
    inventory.pods.replace([answered('later')]);
    inventory.pods.set(answered('later', 'u1', { other: 'annotation' }));
    expect(answers()).toEqual([]);
    expect(unreadable).toEqual([
      'ns/p1: its annotation curtail.io/answer is "later": write ready or extend, or one of them with an id of its own, such as extend/2',
    ]);
    expect(inventory.partition('default').listing().allocations).toMatchObject([{ id: 'ns/p1' }]);
  });
});

describe('an inventory of pods in several partitions', () => {
  let places: Record<string, FieldOfObject>;
  let inventory: PodInventory;
  let unreadable: string[];
  afterEach(() => expect(unreadable).toEqual([]));
  beforeEach(() => {
    unreadable = [];
    places = { u1: { partition: 'default', queue: 'root.a', application: { id: 'app' } } };
    inventory = new PodInventory({
      originators: [],
      place: ({ uid }) => places[uid],
      partitionOfNode: (node) => (node === 'n2' ? 'gpu' : 'default'),
      isProtected: () => false,
      onChange: () => {},
      onUnreadable: (id) => unreadable.push(id),
    });
    inventory.pods.replace([pod('p1', 'u1', 'n1'), pod('p2', 'u2', 'n1')]);
  });
  const ids = (partition: string) =>
    inventory
      .partition(partition)
      .listing()
      .allocations.map(({ id }) => id);

  it('leaves out what stands nowhere, until its place is known', () => {
    expect(ids('default')).toEqual(['ns/p1']);
    expect([...inventory.unplaced()].map(({ id }) => id)).toEqual(['ns/p2']);
    places.u2 = { partition: 'default', queue: 'root.a', role: 'originator' };
    inventory.moved(['u2']);
    expect(inventory.partition('default').changes().allocations).toMatchObject([
      { id: 'ns/p2', uid: 'u2', role: 'originator', queue: 'root.a' },
    ]);
    expect([...inventory.unplaced()]).toEqual([]);
  });

  it('releases a pod that is gone at once, even if it still has a place', () => {
    ids('default');
    inventory.pods.remove(pod('p1', 'u1', 'n1'));
    expect(inventory.partition('default').changes()).toMatchObject({
      allocationsGone: [{ id: 'ns/p1', uid: 'u1', queue: 'root.a' }],
      applicationsGone: ['app'],
    });
    inventory.moved(['u1']);
    expect(ids('default')).toEqual([]);
  });

  it('never takes a pod that cannot be read for one that is gone', () => {
    ids('default');
    const broken = pod('p1', 'u1', 'n1');
    broken.spec.containers[0]!.resources = { requests: { cpu: 'one' } };
    inventory.pods.set(broken);
    expect(inventory.partition('default').changes().allocationsGone).toEqual([]);
    expect(ids('default')).toEqual(['ns/p1']);
    expect(unreadable.splice(0)).toEqual(['ns/p1']);
  });

  it('moves a pod, and a node, to another partition', () => {
    inventory.nodeMirror.replace(
      ['n1', 'n2'].map((name) => ({ metadata: { name, uid: name, resourceVersion: '1' } })),
    );
    expect(ids('default')).toEqual(['ns/p1']);
    places.u1 = { partition: 'gpu', queue: 'root.a' };
    inventory.moved(['u1']);
    expect(inventory.partition('default').changes().allocationsGone).toMatchObject([{ id: 'ns/p1' }]);
    expect(ids('gpu')).toEqual(['ns/p1']);
    expect(inventory.partition('gpu').listing().nodes).toMatchObject([{ id: 'n2' }]);
  });

  it('counts a pod that has its room, and waits for its node, as running', () => {
    inventory.pods.set(pod('p3', 'u3'));
    places.u3 = { partition: 'default', queue: 'root.a', application: { id: 'app' } };
    inventory.moved();
    expect(inventory.partition('default').changes().applications).toMatchObject([
      { id: 'app', pending: [{ count: 1 }] },
    ]);
    places.u3 = { ...places.u3, node: 'n1' };
    inventory.moved(['u3']);
    expect(inventory.partition('default').changes()).toMatchObject({
      applications: [{ id: 'app', pending: [] }],
      allocations: [{ id: 'ns/p3', node: 'n1', startedAt: '2026-11-21T10:00:00Z' }],
    });
  });
});
