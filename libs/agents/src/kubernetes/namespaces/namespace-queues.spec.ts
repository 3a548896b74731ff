import { describe, expect, it } from '@jest/globals';
import { readConfiguration } from '#configuration';
import type { Namespace, ResourceQuota } from '../objects.js';
import { delayAnnotation, guaranteedAnnotation, namespaceQueues, parentLabel } from './namespace-queues.js';

const namespace = (
  name: string,
  more: { parent?: string; delay?: string; guaranteed?: string } = {},
): Namespace => ({
  metadata: {
    name,
    uid: `uid-${name}`,
    resourceVersion: '1',
    ...(more.parent && { labels: { [parentLabel]: more.parent } }),
    annotations: {
      ...(more.delay && { [delayAnnotation]: more.delay }),
      ...(more.guaranteed && { [guaranteedAnnotation]: more.guaranteed }),
    },
  },
});
const quota = (
  namespace: string,
  hard: Record<string, string>,
  name = 'compute',
  scopes?: string[],
): ResourceQuota => ({
  metadata: { name, namespace, uid: `uid-${namespace}-${name}`, resourceVersion: '1' },
  spec: { hard, ...(scopes && { scopes }) },
});
const options = { partition: 'prod', delay: '0' };

function queuesOf(namespaces: Namespace[], quotas: ResourceQuota[] = []) {
  const { configuration, findings, queueOf, spared, ignored } = namespaceQueues(namespaces, quotas, options);
  const read = readConfiguration({ json: configuration });
  expect(read.errors).toEqual([]);
  const queues = Object.fromEntries(
    read.queues.map(({ path, max, guaranteed, delayMs }) => [path, { max, guaranteed, delayMs }]),
  );
  return { queues, findings, queueOf, spared: [...spared], ignored };
}
const codesOf = (findings: { object: { namespace: string }; code: string }[]) =>
  findings.map(({ object, code }) => `${object.namespace}: ${code}`);

describe('queues of namespaces', () => {
  it('have the quota as max, and the values of the annotations', () => {
    const { queues, findings } = queuesOf(
      [namespace('team-a', { delay: '10m', guaranteed: 'cpu=2,memory=4Gi' })],
      [
        quota('team-a', {
          'requests.cpu': '4',
          'requests.memory': '16Gi',
          pods: '50',
          'limits.cpu': '9',
          services: '5',
        }),
      ],
    );
    expect(findings).toEqual([]);
    expect(queues['root.team-a']).toEqual({
      max: { vcore: 4000, memory: 16 * 2 ** 30, pods: 50 },
      guaranteed: { vcore: 2000, memory: 4 * 2 ** 30 },
      delayMs: 600_000,
    });
  });

  it('stand under the namespace that the label names, and inherit its delay', () => {
    const { queues, queueOf } = queuesOf(
      [namespace('batch', { parent: 'team-a' }), namespace('team-a', { delay: '1h' }), namespace('other')],
      [quota('batch', { cpu: '2' })],
    );
    expect(Object.keys(queues).sort()).toEqual([
      'root',
      'root.other',
      'root.team-a',
      'root.team-a.batch',
      'root.team-a.team-a',
    ]);
    expect(queues['root.team-a.batch']?.delayMs).toBe(3_600_000);
    expect(queues['root.other']?.delayMs).toBe(0);
    expect(Object.fromEntries(queueOf)).toEqual({
      batch: 'root.team-a.batch',
      other: 'root.other',
      'team-a': 'root.team-a.team-a',
    });
  });

  it('take the smallest of several quotas, with a finding', () => {
    const { queues, findings } = queuesOf(
      [namespace('a')],
      [quota('a', { cpu: '8', pods: '4' }, 'one'), quota('a', { 'requests.cpu': '6' }, 'two')],
    );
    expect(queues['root.a']?.max).toEqual({ vcore: 6000, pods: 4 });
    expect(findings).toMatchObject([
      {
        severity: 'warning',
        code: 'quotas-several',
        message: expect.stringContaining('of two'),
        object: { name: 'two' },
      },
    ]);
  });

  it.each<[string, Record<string, string>, string[]]>([
    [
      'limits of containers alone, with a finding',
      { 'limits.cpu': '4', secrets: '9' },
      ['a: quota-of-limits'],
    ],
    [
      'objects and claimed devices',
      { secrets: '9', 'gpu.example.com.deviceclass.resource.k8s.io/devices': '2' },
      [],
    ],
  ])('have no max by a quota of %s', (_, hard, findingsOfIt) => {
    const { queues, findings } = queuesOf([namespace('a', { delay: '5m' })], [quota('a', hard)]);
    expect(queues['root.a']?.max).toEqual(null);
    expect(queues['root.a']?.delayMs).toBe(300_000);
    expect(codesOf(findings)).toEqual(findingsOfIt);
  });

  it('do not count a quota that holds for some pods only', () => {
    const { queues, findings } = queuesOf(
      [namespace('a')],
      [quota('a', { pods: '1' }, 'best', ['BestEffort'])],
    );
    expect(queues['root.a']?.max).toEqual(null);
    expect(codesOf(findings)).toEqual(['a: quota-scoped']);
  });

  const team = () => [namespace('top', { delay: '5m' }), namespace('a', { parent: 'top' })];

  it.each([
    ['a fraction of a byte', { 'requests.memory': '1288490188800m' }, { memory: 1288490188 }],
    ['a fraction of a GPU', { 'requests.nvidia.com/gpu': '2500m' }, { 'nvidia.com/gpu': 2 }],
    ['less than a GPU', { 'requests.nvidia.com/gpu': '500m' }, { 'nvidia.com/gpu': 0 }],
    ['a fraction of a huge page', { 'hugepages-2Mi': '1500m' }, { 'hugepages-2Mi': 1 }],
    ['a fraction of a millicore', { cpu: '1500500u' }, { vcore: 1500 }],
    [
      'the fractions of several quotas',
      { pods: '4', 'requests.ephemeral-storage': '1.2Gi' },
      { pods: 4, 'ephemeral-storage': 1288490188 },
    ],
  ])('round %s down: work is counted in whole units', (_, hard, max) => {
    const { queues, findings } = queuesOf(team(), [quota('a', hard as Record<string, string>)]);
    expect(findings).toEqual([]);
    expect(queues['root.top.a']).toEqual({ max, guaranteed: null, delayMs: 300_000 });
    expect(queues['root.top']?.delayMs).toBe(300_000);
  });

  it.each([
    'openshift.io/imagestreams',
    'openshift.io/images',
    'count/imagestreams.image.openshift.io',
    'count/routes.route.openshift.io',
    'count/deployments.apps',
    'count/widgets.example.com',
    'services.loadbalancers',
    'configmaps',
    'fast.storageclass.storage.k8s.io/requests.storage',
    'gpu.example.com.deviceclass.resource.k8s.io/devices',
  ])('take %s as a number of objects, which is no limit on work', (key) => {
    const { queues, findings } = queuesOf(team(), [quota('a', { cpu: '2', [key]: '10' })]);
    expect(findings).toEqual([]);
    expect(queues['root.top.a']).toEqual({ max: { vcore: 2000 }, guaranteed: null, delayMs: 300_000 });
  });

  it.each([
    ['nvidia.com/gpu', '4', 'warning', 'quota-resource-unknown', /write requests\.nvidia\.com\/gpu$/],
    ['amd.com/gpu', '4', 'warning', 'quota-resource-unknown', /write requests\.amd\.com\/gpu$/],
    [
      'example.com/licence',
      '4',
      'warning',
      'quota-resource-unknown',
      /write requests\.example\.com\/licence$/,
    ],
    ['gpu', '4', 'warning', 'quota-resource-unknown', /write its full name, such as requests\./],
    ['memory', 'many', 'error', 'quota-unreadable', /is not a quantity.*only the other limits$/],
    ['memory', '-1', 'error', 'quota-unreadable', /is not a quantity/],
  ])('ignore %s: %s with a finding, and enforce everything else', (key, amount, severity, code, message) => {
    const { queues, findings, ignored } = queuesOf(team(), [
      quota('top', { cpu: '30' }),
      quota('a', { cpu: '20', [key]: amount }),
    ]);
    const finding = {
      ...{ severity, code, message: expect.stringMatching(message), isIgnored: true },
      object: { kind: 'ResourceQuota', namespace: 'a', name: 'compute', uid: 'uid-a-compute' },
      field: `spec.hard["${key}"]`,
    };
    expect(findings).toEqual([finding]);
    expect(ignored).toEqual([{ queue: 'root.top.a', finding }]);
    expect(queues).toMatchObject({
      'root.top': { max: { vcore: 30_000 }, delayMs: 300_000 },
      'root.top.a': { max: { vcore: 20_000 }, delayMs: 300_000 },
    });
  });

  it('ignore nothing where no quota is enforced', () => {
    const quotas = [quota('a', { 'nvidia.com/gpu': '4' }), quota('b', { pods: '1' }, 'best', ['BestEffort'])];
    const { findings, ignored } = queuesOf([namespace('a'), namespace('b', { delay: '5m' })], quotas);
    expect(codesOf(findings)).toEqual(['a: quota-resource-unknown', 'b: quota-scoped']);
    expect(ignored.map(({ queue }) => queue)).toEqual(['root.b']);
  });

  it('are not enforced with a delay that is none, nor are those that inherit it; those above are', () => {
    const { findings, queues } = queuesOf([
      namespace('top', { delay: '5m' }),
      namespace('a', { parent: 'top', delay: 'soon' }),
      namespace('b', { parent: 'a' }),
      namespace('c', { parent: 'a', delay: '1h' }),
    ]);
    expect(findings).toMatchObject([
      { severity: 'error', code: 'annotation-unreadable', message: expect.stringContaining('soon') },
    ]);
    const delays = Object.fromEntries(Object.entries(queues).map(([path, { delayMs }]) => [path, delayMs]));
    expect(delays).toMatchObject({
      ...{ 'root.top': 300_000, 'root.top.a': 0, 'root.top.a.b': 0, 'root.top.a.c': 3_600_000 },
    });
  });

  it.each([
    ['amounts that are none', { guaranteed: 'cpu:4' }, 'cpu=4,memory=16Gi'],
    ['an amount that appears twice', { guaranteed: 'cpu=4,cpu=5' }, 'twice'],
  ])('lose no pod while they guarantee %s; clocks run on', (_, wrong, remedy) => {
    const { findings, queues, spared } = queuesOf([
      namespace('top', { delay: '5m' }),
      namespace('a', { parent: 'top', ...wrong }),
    ]);
    expect(findings).toMatchObject([
      { severity: 'error', code: 'annotation-unreadable', message: expect.stringContaining(remedy) },
    ]);
    expect(spared).toEqual(['a']);
    expect(queues).toMatchObject({ 'root.top': { delayMs: 300_000 }, 'root.top.a': { delayMs: 300_000 } });
  });

  it('lose no pod below one whose guaranteed amount is unknown: it is for all of them together', () => {
    const { spared } = queuesOf([
      ...[namespace('top'), namespace('a', { parent: 'top', guaranteed: 'cpu:4' }), namespace('beside')],
      ...[namespace('b', { parent: 'a' }), namespace('c', { parent: 'b' })],
    ]);
    expect(spared).toEqual(['a', 'b', 'c']);
  });

  it('guarantee no less than is written', () => {
    const { queues, findings } = queuesOf([namespace('a', { guaranteed: 'memory=1.2Gi,cpu=100u' })]);
    expect(findings).toEqual([]);
    expect(queues['root.a']?.guaranteed).toEqual({ memory: 1288490189, vcore: 1 });
  });

  it.each([
    ['more namespaces than a configuration may nest', 120, 'n', 'n50'],
    ['a longer name than reports may have', 20, `n${'x'.repeat(55)}`, `n${'x'.repeat(55)}16`],
  ])('report a path with %s, and all others keep their places', (_, count, name, first) => {
    const chain = Array.from({ length: count }, (_, i) =>
      namespace(`${name}${i}`, i === 0 ? { delay: '5m' } : { parent: `${name}${i - 1}` }),
    );
    const { queues, findings } = queuesOf(chain);
    expect(codesOf(findings)).toContain(`${first}: parent-too-deep`);
    expect(Object.keys(queues)).toContain(`root.${first}`);
    expect(Math.max(...Object.keys(queues).map((path) => path.length))).toBeLessThanOrEqual(1000);
  });

  it('report a parent that does not exist, and parents in a circle', () => {
    const { queues, findings } = queuesOf([
      namespace('a', { parent: 'b', delay: '5m' }),
      namespace('b', { parent: 'c' }),
      namespace('c', { parent: 'b' }),
      namespace('d', { parent: 'nowhere' }),
    ]);
    expect(codesOf(findings).sort()).toEqual(['b: parent-cycle', 'c: parent-cycle', 'd: parent-missing']);
    expect(Object.keys(queues).sort()).toEqual([
      'root',
      'root.b',
      'root.b.a',
      'root.b.b',
      'root.c',
      'root.d',
    ]);
    expect(queues['root.b.a']?.delayMs).toBe(300_000);
  });

  it('without a parent, are enforced with a delay of their own only', () => {
    const { queues } = queuesOf([
      namespace('a', { parent: 'x', delay: '5m' }),
      namespace('b', { parent: 'x' }),
    ]);
    expect(queues['root.a']?.delayMs).toBe(300_000);
    expect(queues['root.b']?.delayMs).toBe(0);
  });

  it('may be above those of the namespaces above, at every level: each is enforced as it is', () => {
    const { queues, findings } = queuesOf(
      [
        namespace('top', { delay: '5m' }),
        namespace('a', { parent: 'top' }),
        namespace('b', { parent: 'a' }),
        namespace('c', { parent: 'a' }),
      ],
      [
        quota('top', { cpu: '10' }),
        quota('a', { cpu: '20', memory: '1Gi' }),
        quota('b', { cpu: '30', memory: '2Gi' }),
        quota('c', { cpu: '4' }),
      ],
    );
    expect(findings).toEqual([]);
    expect(queues).toMatchObject({
      'root.top': { max: { vcore: 10_000 }, delayMs: 300_000 },
      'root.top.a': { max: { vcore: 20_000, memory: 2 ** 30 }, delayMs: 300_000 },
      'root.top.a.b': { max: { vcore: 30_000, memory: 2 ** 31 }, delayMs: 300_000 },
      'root.top.a.c': { max: { vcore: 4000 }, delayMs: 300_000 },
    });
  });

  it('may be below what is guaranteed, which stays, with a finding', () => {
    const { queues, findings } = queuesOf(
      [
        namespace('top', { delay: '5m' }),
        namespace('a', { parent: 'top', guaranteed: 'cpu=8' }),
        namespace('b', { delay: '5m' }),
        namespace('c', { delay: '5m', guaranteed: 'cpu=2' }),
      ],
      [
        quota('top', { cpu: '4' }),
        quota('a', { cpu: '6' }),
        quota('b', { cpu: '1' }),
        quota('c', { cpu: '2' }),
      ],
    );
    expect(findings).toMatchObject([
      {
        ...{ severity: 'warning', code: 'guaranteed-above-max' },
        field: `metadata.annotations["${guaranteedAnnotation}"]`,
        object: { namespace: 'a' },
        message: expect.stringContaining('guaranteed 8 vcore is above max 6'),
      },
      {
        ...{ severity: 'warning', code: 'guaranteed-above-max', field: 'quota' },
        object: { namespace: 'top' },
      },
    ]);
    expect(queues).toMatchObject({
      'root.b': { max: { vcore: 1000 }, delayMs: 300_000 },
      'root.c': { max: { vcore: 2000 }, guaranteed: { vcore: 2000 }, delayMs: 300_000 },
      'root.top': { max: { vcore: 4000 }, delayMs: 300_000 },
      'root.top.a': { max: { vcore: 6000 }, guaranteed: { vcore: 8000 }, delayMs: 300_000 },
    });
  });
});
