import { describe, expect, it } from '@jest/globals';
import type { Container, ContainerStatus, Pod } from './objects.js';
import { podRequests } from './pod-requests.js';

const container = (name: string, cpu: string, more: Partial<Container> = {}): Container => ({
  name,
  resources: { requests: { cpu } },
  ...more,
});
const sidecar = (name: string, cpu: string) => container(name, cpu, { restartPolicy: 'Always' });
const status = (name: string, has: string, given = has): ContainerStatus => ({
  name,
  resources: { requests: { cpu: has } },
  allocatedResources: { cpu: given },
});
const pod = (spec: Partial<Pod['spec']>, podStatus?: Pod['status']): Pod => ({
  metadata: { name: 'p', namespace: 'ns', uid: 'u', resourceVersion: '1' },
  spec: { containers: [], ...spec },
  ...(podStatus && { status: podStatus }),
});
const cpuOf = (one: Pod) => podRequests(one).vcore;
const resizing = (reason: string) => [{ type: 'PodResizePending', status: 'True', reason }];

describe('what a pod holds', () => {
  it('is the sum of its containers, of every resource, and one of pods', () => {
    const requests = { cpu: '500m', memory: '1Gi', 'nvidia.com/gpu': '1' };
    const containers = [{ name: 'a', resources: { requests } }, container('b', '1')];
    expect(podRequests(pod({ containers }))).toEqual({
      vcore: 1500,
      memory: 2 ** 30,
      'nvidia.com/gpu': 1,
      pods: 1,
    });
  });

  it('is one of pods without any request', () => {
    expect(podRequests(pod({ containers: [{ name: 'a' }] }))).toEqual({ pods: 1 });
  });

  it.each([
    ['the largest init container, if that is more', ['1'], [container('i', '3'), container('j', '2')], 3000],
    ['the containers, if they are more', ['1', '3'], [container('i', '3')], 4000],
    ['containers and sidecars together', ['1'], [sidecar('s', '2')], 3000],
    [
      'an init container beside the sidecars before it',
      ['1'],
      [sidecar('s', '2'), container('i', '3')],
      5000,
    ],
    [
      'an init container without the sidecars after it',
      ['1'],
      [container('i', '3'), sidecar('s', '1')],
      3000,
    ],
  ])('counts %s', (_, cpus, initContainers, expected) => {
    const containers = cpus.map((cpu, index) => container(`c${index}`, cpu));
    expect(cpuOf(pod({ containers, initContainers }))).toBe(expected);
  });

  it('has the overhead of its runtime on top of everything', () => {
    const spec = { containers: [container('a', '1')], initContainers: [container('i', '2')] };
    expect(cpuOf(pod({ ...spec, overhead: { cpu: '250m' } }))).toBe(2250);
  });

  describe('while a container is resized', () => {
    const containers = [container('a', '2')];
    it.each([
      ['what it still has, when it shrinks', status('a', '3', '2'), undefined, 3000],
      ['what it was given, when that is the largest', status('a', '1', '4'), undefined, 4000],
      ['what it asks for, when it grows', status('a', '1'), undefined, 2000],
      ['what it asks for, while that is put off', status('a', '1'), 'Deferred', 2000],
      ['not what it can never get', status('a', '1'), 'Infeasible', 1000],
    ])('counts %s', (_, one, reason, expected) => {
      const conditions = reason === undefined ? [] : resizing(reason);
      expect(cpuOf(pod({ containers }, { containerStatuses: [one], conditions }))).toBe(expected);
    });

    it('counts the same of a sidecar', () => {
      const spec = { containers: [container('a', '1')], initContainers: [sidecar('s', '1')] };
      expect(cpuOf(pod(spec, { initContainerStatuses: [status('s', '2')] }))).toBe(3000);
    });

    it('counts the request of a container whose status has no resources', () => {
      expect(cpuOf(pod({ containers }, { containerStatuses: [{ name: 'a' }] }))).toBe(2000);
    });
  });

  describe('with requests of the pod as a whole', () => {
    const containers = [container('a', '1'), container('b', '1')];
    it('counts those in place of the sum, and the overhead on top', () => {
      const spec = { containers, resources: { requests: { cpu: '5' } }, overhead: { cpu: '1' } };
      expect(cpuOf(pod(spec))).toBe(6000);
    });

    it('keeps the sum of what has no such request', () => {
      expect(podRequests(pod({ containers, resources: { requests: { memory: '1Gi' } } }))).toEqual({
        vcore: 2000,
        memory: 2 ** 30,
        pods: 1,
      });
    });

    it('counts the largest while it is resized', () => {
      const spec = { containers, resources: { requests: { cpu: '2' } } };
      expect(
        cpuOf(pod(spec, { resources: { requests: { cpu: '3' } }, allocatedResources: { cpu: '4' } })),
      ).toBe(4000);
    });
  });
});
