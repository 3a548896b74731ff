import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { pathOf, TestKubernetes, type Thing } from '../../../../test/support/kubernetes.js';
import type { Pod } from './objects.js';
import { podRequests } from './pod-requests.js';

let kubernetes: TestKubernetes;
let namespace: string;
beforeAll(async () => {
  kubernetes = await TestKubernetes.open();
  namespace = await kubernetes.namespace();
  await kubernetes.ask('POST', '/apis/node.k8s.io/v1/runtimeclasses', {
    metadata: { name: namespace },
    handler: 'tests',
    overhead: { podFixed: { cpu: '250m', memory: '32Mi' } },
  });
});
afterAll(async () => {
  await kubernetes.remove(`/apis/node.k8s.io/v1/runtimeclasses/${namespace}`);
  await kubernetes.close();
});

const container = (name: string, cpu: string, more: object = {}) => ({
  name,
  image: 'none',
  resources: { requests: { cpu, memory: '10Mi' } },
  ...more,
});
const specs: Record<string, object> = {
  'init-containers': { initContainers: [container('i', '3')] },
  sidecars: {
    initContainers: [container('s', '500m', { restartPolicy: 'Always' }), container('i', '2')],
  },
  overhead: {},
  whole: { resources: { requests: { cpu: '4' } } },
};

/** Puts the pod on a node of its own with so much of the CPU of the pod and a bit more or less; resolves when the scheduler has decided. */
async function isPlaced(
  name: string,
  spec: object,
  milliCpu: number,
): Promise<{ placed: boolean; pod: Thing }> {
  const node = await kubernetes.node({ cpu: `${milliCpu}m`, memory: '100Gi', pods: '10' });
  const pod = await kubernetes.pod(namespace, `${name}-${milliCpu}`, {
    node: undefined,
    spec: {
      containers: [container('main', '1'), container('second', '500m')],
      nodeSelector: { 'kubernetes.io/hostname': node },
      ...spec,
    },
  });
  return kubernetes.until(`the scheduler to decide on ${pod.metadata.name}`, async () => {
    const found = await kubernetes.ask('GET', pathOf(pod));
    const scheduled = found.status.conditions?.find(({ type }: { type: string }) => type === 'PodScheduled');
    if (scheduled === undefined) return undefined;
    return { placed: scheduled.status === 'True', pod: found };
  });
}

it.each(Object.keys(specs))('the scheduler finds room for exactly what is counted: %s', async (name) => {
  const spec = { ...specs[name], ...(name === 'overhead' && { runtimeClassName: namespace }) };
  const { pod } = await isPlaced(name, spec, 1);
  const counted = podRequests(pod as unknown as Pod).vcore!;
  const [fits, lacks] = await Promise.all([isPlaced(name, spec, counted), isPlaced(name, spec, counted - 1)]);
  expect([fits.placed, lacks.placed]).toEqual([true, false]);
});

it('the scheduler counts the same of a container that is being resized', async () => {
  const node = await kubernetes.node({ cpu: '10', memory: '100Gi', pods: '10' });
  const [pod] = await kubernetes.runningPods(namespace, ['resized'], { cpu: '1', node });
  const resized = { cpu: '4', memory: '1Gi' };
  const patched = await kubernetes.ask(
    'PATCH',
    `${pathOf(pod!)}/status`,
    {
      status: {
        containerStatuses: [
          {
            ...pod!.status.containerStatuses[0],
            resources: { requests: resized },
            allocatedResources: resized,
          },
        ],
      },
    },
    { contentType: 'application/strategic-merge-patch+json' },
  );
  expect(podRequests(patched as unknown as Pod).vcore).toBe(4000);
  const onIt = (name: string, cpu: string) =>
    kubernetes.pod(namespace, name, {
      cpu,
      node: undefined,
      spec: { nodeSelector: { 'kubernetes.io/hostname': node } },
    });
  const scheduledOf = async (one: Thing) =>
    kubernetes.until(`the scheduler to decide on ${one.metadata.name}`, async () => {
      const { conditions } = (await kubernetes.ask('GET', pathOf(one))).status;
      return conditions?.find(({ type }: { type: string }) => type === 'PodScheduled')?.status;
    });
  expect(await scheduledOf(await onIt('too-large', '6001m'))).toBe('False');
  expect(await scheduledOf(await onIt('fits', '6'))).toBe('True');
});
