import { expect, it } from '@jest/globals';
import type { ClusterSnapshot } from '#contracts';
import { plan, readSnapshot } from '#planning';
import { inQueue, PRIORITY, planOf } from '../../test/in-queue.js';

const labelled = { nodeLabels: ['CARD'] };
const sentence =
  'The configuration of the partition has node labels (CARD), which Curtail does not count: nothing is enforced in it.';

it('plans no lowered quota by sums over nodes of all labels', () => {
  const snapshot = {
    takenAt: '2026-11-21T10:00:00.000Z',
    queues: [{ path: 'root' }, { path: 'root.a', max: { memory: 10 } }] as ClusterSnapshot['queues'],
    applications: [{ id: 'x', queue: 'root.a' }],
    allocations: [1, 2].map((nr) => ({
      id: `x-${nr}`,
      application: 'x',
      queue: 'root.a',
      resources: { memory: 10 },
      startedAt: '2026-11-21T09:00:00.000Z',
    })),
  };
  const trigger = { policy: 'quota-decrease' as const, queue: 'root.a' };
  expect(plan(readSnapshot(snapshot), trigger).victims).toHaveLength(1);
  snapshot.queues[0]!.properties = labelled;
  expect(plan(readSnapshot(snapshot), trigger)).toMatchObject({
    outcome: 'skipped',
    victims: [],
    notices: [{ code: 'enforcement-skipped', message: sentence }],
  });
});

it('plans no round of a queue by such sums', () => {
  const snapshot = inQueue([
    { id: 'app1', priority: 1, has: 60 },
    { id: 'app2', priority: 2, wants: 4 },
  ]);
  expect(planOf(snapshot, PRIORITY).victims.length).toBeGreaterThan(0);
  const root = snapshot.queues.find(({ path }) => path === 'root');
  if (root) root.properties = labelled;
  else snapshot.queues.unshift({ path: 'root', properties: labelled });
  expect(planOf(snapshot, PRIORITY)).toMatchObject({
    outcome: 'skipped',
    victims: [],
    notices: [{ code: 'node-labels', message: sentence, about: { kind: 'partition' } }],
  });
});
