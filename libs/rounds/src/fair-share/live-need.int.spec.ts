import { beforeEach, describe, expect, it } from '@jest/globals';
import type { DataSource } from 'typeorm';
import { SimulatedCluster } from '#clusters';
import type { Resources } from '#contracts';
import type { PlannedVictim } from '#enforcement';
import { withMigratedDatabase } from '../../../../test/support/migrated-database.js';
import { place } from '../../../clusters/src/simulated/place.js';
import { liveNeed } from './live-need.js';

const partition = 'p';

describe('the need for a victim of fair-share', () => {
  let db: DataSource;
  let cluster: SimulatedCluster;
  withMigratedDatabase((opened) => {
    db = opened;
    cluster = new SimulatedCluster(db);
  });
  beforeEach(async () => {
    for (const table of ['starvation_clocks', 'queues', 'simulated_applications', 'simulated_nodes'])
      await db.query(`DELETE FROM ${table}`);
  });

  const victim = (more: Partial<PlannedVictim>): PlannedVictim => ({
    allocation: 'a1',
    application: 'old',
    queue: 'root.web.old',
    node: 'n1',
    resources: { vcore: 1 },
    rank: 1,
    reason: 'It was the newest.',
    ...more,
  });
  const found = (more: Partial<PlannedVictim>) => liveNeed({ db, cluster }, victim(more), partition);
  const starves = (kind: string, name: string, starvation: string) =>
    db.query(
      `INSERT INTO starvation_clocks (partition, kind, name, queue, since, starvation)
       VALUES ($1, $2, $3, $3, now(), $4)`,
      [partition, kind, name, starvation],
    );
  const runs = (id: string, queue: string, count: number, properties: Record<string, unknown> = {}) =>
    place(db, partition, {
      applications: [{ id, queue, properties }],
      allocations: Array.from({ length: count }, (_, i) => ({
        id: `${id}-${i}`,
        application: id,
        queue,
        node: 'n1',
        resources: { vcore: 1 },
        startedAt: '2026-11-21T10:00:00Z',
      })),
    });

  it('is not read where the plan names no cause', async () => {
    expect(await found({})).toBeUndefined();
  });

  it('of starvation is the operation, with the states of it and of the pools above it alone', async () => {
    const pending = [{ resources: { vcore: 2 }, count: 3 }];
    await place(db, partition, { applications: [{ id: 'shop', queue: 'root.web.new', pending }] });
    await starves('operation', 'shop', 'starving');
    await starves('operation', 'other', 'starving');
    await starves('pool', 'root.web', 'aggressively_starving');
    await starves('pool', 'root.web.new', 'non_starving');
    await starves('pool', 'root.batch', 'starving');
    const answered = await found({ cause: 'starvation', preemptedFor: 'shop' });
    expect(answered).toMatchObject({ operation: { queue: 'root.web.new', pending } });
    expect(answered && 'starving' in answered && answered.starving).toEqual(
      expect.arrayContaining([
        { kind: 'operation', name: 'shop', state: 'starving' },
        { kind: 'pool', name: 'root.web', state: 'aggressively_starving' },
      ]),
    );
    expect(answered && 'starving' in answered && answered.starving).toHaveLength(2);
  });

  it('of starvation is empty where the operation is gone, whatever else starves', async () => {
    await starves('pool', 'root', 'starving');
    expect(await found({ cause: 'starvation', preemptedFor: 'shop' })).toEqual({ starving: [] });
  });

  it.each<[number, Resources]>([
    [5, { vcore: 1 }],
    [4, {}],
  ])('of a node with room for 4 that runs %s is %j', async (count, over) => {
    await place(db, partition, { nodes: [{ id: 'n1', capacity: { vcore: 4, memory: 10 } }] });
    await runs('old', 'root.web.old', count);
    expect(await found({ cause: 'overcommit' })).toEqual({ over: [over] });
  });

  it('of limits is the amount by which the pools above and the operation exceed their limits and tolerances', async () => {
    await place(db, partition, { nodes: [{ id: 'n1', capacity: { vcore: 100 } }] });
    await runs('old', 'root.web.old', 5, {
      resourceLimits: { vcore: 2 },
      resourceLimitsOvercommitTolerance: { vcore: 1 },
    });
    await runs('others', 'root.web.others', 3);
    await db.query(
      `INSERT INTO queues (partition, path, max, delay_ms, parent, properties)
       VALUES ($1, 'root', NULL, 0, true, NULL), ($1, 'root.web', '{"vcore": 6}', 0, true, NULL),
              ($1, 'root.web.old', '{"vcore": 3}', 0, false, '{"resourceLimitsOvercommitTolerance": {"vcore": 2}}'),
              ($1, 'root.web.others', '{"vcore": 1}', 0, false, NULL)`,
      [partition],
    );
    expect(await found({ cause: 'resource-limits' })).toEqual({
      over: [{}, { vcore: 2 }, {}, { vcore: 2 }],
    });
  });
});
