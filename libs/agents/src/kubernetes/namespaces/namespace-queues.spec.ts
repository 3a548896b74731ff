import { readConfiguration } from '@curtail/configuration';
import { describe, expect, it } from '@jest/globals';
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
  const { configuration, findings, queueOf } = namespaceQueues(namespaces, quotas, options);
  const read = readConfiguration({ json: configuration });
  expect(read.errors).toEqual([]);
  const queues = Object.fromEntries(
    read.queues.map(({ path, max, guaranteed, delayMs }) => [path, { max, guaranteed, delayMs }]),
  );
  return { queues, findings, queueOf };
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

  it('may have guaranteed equal to their quota under a delay where the setting allows it', () => {
    const fixed = [namespace('a', { delay: '10m', guaranteed: 'cpu=4' })];
    const check = (more: object) =>
      codesOf(namespaceQueues(fixed, [quota('a', { cpu: '4' })], { ...options, ...more }).findings);
    expect(check({})).toEqual(['a: quotas-contradict']);
    expect(check({ guaranteedEqualsMax: 'allow' })).toEqual([]);
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

  it.each([
    ['a fraction of a GPU', { 'requests.nvidia.com/gpu': '500m' }, 'quota-fraction', 'whole units'],
    ['a fraction of a millicore', { cpu: '100u' }, 'quota-fraction', 'thousandths'],
    ['a resource that no pod has', { gpu: '4' }, 'quota-resource-unknown', 'write requests.gpu'],
    ['what is not a quantity', { cpu: 'many' }, 'quota-unreadable', 'is not a quantity'],
  ])('report %s, and enforce nothing there or above', (_, hard, code, remedy) => {
    const { queues, findings } = queuesOf(
      [
        namespace('top', { delay: '5m' }),
        namespace('a', { parent: 'top' }),
        namespace('b', { parent: 'top' }),
      ],
      [quota('a', hard as unknown as Record<string, string>), quota('b', { cpu: '1' })],
    );
    expect(findings).toMatchObject([{ severity: 'error', code, message: expect.stringContaining(remedy) }]);
    const delays = Object.fromEntries(Object.entries(queues).map(([path, { delayMs }]) => [path, delayMs]));
    expect(delays).toMatchObject({ 'root.top': 0, 'root.top.a': 0, 'root.top.b': 300_000 });
  });

  it.each([
    ['a delay that is none', { delay: 'soon' }, 'soon'],
    ['amounts that are none', { guaranteed: 'cpu:4' }, 'cpu=4,memory=16Gi'],
    ['an amount that appears twice', { guaranteed: 'cpu=4,cpu=5' }, 'twice'],
  ])('report %s', (_, wrong, remedy) => {
    const { findings, queues } = queuesOf([namespace('a', { delay: '5m', ...wrong })]);
    expect(findings).toMatchObject([
      { severity: 'error', code: 'annotation-unreadable', message: expect.stringContaining(remedy) },
    ]);
    expect(queues['root.a']?.delayMs).toBe(0);
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

  it('that contradict each other are not enforced, and all others are', () => {
    const { queues, findings } = queuesOf(
      [
        namespace('top', { delay: '5m' }),
        namespace('a', { parent: 'top', guaranteed: 'cpu=8' }),
        namespace('b', { delay: '5m' }),
        namespace('c', { delay: '5m', guaranteed: 'cpu=4' }),
      ],
      [
        quota('top', { cpu: '4' }),
        quota('a', { cpu: '6' }),
        quota('b', { cpu: '1' }),
        quota('c', { cpu: '2' }),
      ],
    );
    expect([...new Set(codesOf(findings))].sort()).toEqual([
      'a: quotas-contradict',
      'c: quotas-contradict',
      'top: quotas-contradict',
    ]);
    expect(queues['root.b']).toEqual({ max: { vcore: 1000 }, guaranteed: null, delayMs: 300_000 });
    expect(queues['root.c']?.delayMs).toBe(0);
    expect(queues['root.top']?.delayMs).toBe(0);
  });
});
