import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Pod } from './objects.js';
import { PodInventory } from './pod-inventory.js';
import type { Place } from './queue-source.js';

const pod = (name: string, uid: string, node?: string): Pod => ({
  metadata: { name, namespace: 'ns', uid, resourceVersion: '1', creationTimestamp: '2026-11-21T10:00:00Z' },
  spec: {
    ...(node && { nodeName: node }),
    containers: [{ name: 'main', resources: { requests: { cpu: '1' } } }],
  },
  status: { phase: node ? 'Running' : 'Pending' },
});

describe('an inventory of pods in several partitions', () => {
  let places: Record<string, Place>;
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
