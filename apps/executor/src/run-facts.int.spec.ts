import { beforeEach, describe, expect, it } from '@jest/globals';
import type { DataSource } from 'typeorm';
import { SimulatedCluster } from '#clusters';
import { catalog } from '#contracts/events';
import { runStream } from '#event-store';
import { place } from '../../../libs/clusters/src/simulated/place.js';
import { withMigratedDatabase } from '../../../test/support/migrated-database.js';
import { FindQueueFacts } from './run-facts.js';

const partition = 'p';
const run = { partition, queue: 'root.a', enforcement: 'e-1', fencingToken: 1 };

describe('the usage of a queue at the end of its run', () => {
  let db: DataSource;
  let cluster: SimulatedCluster;
  withMigratedDatabase(async (opened) => {
    db = opened;
    cluster = new SimulatedCluster(db);
    await place(db, partition, {
      applications: [
        { id: 'in', queue: 'root.a.b' },
        { id: 'out', queue: 'root.ab' },
      ],
      allocations: ['in', 'out'].flatMap((application) =>
        [1, 2, 3].map((nr) => ({
          id: `${application}-${nr}`,
          application,
          queue: application === 'in' ? 'root.a.b' : 'root.ab',
          resources: { vcore: nr },
          startedAt: '2026-11-21T10:00:00.000Z',
        })),
      ),
    });
    await db.query(`UPDATE simulated_allocations SET state = 'releasing' WHERE id = 'in-3'`);
  });
  beforeEach(async () => {
    for (const table of ['planned_victims', 'clocks']) await db.query(`DELETE FROM ${table}`);
    for (const enforcement of ['e-1', 'e-2', 'e-3']) {
      await db.query(
        `INSERT INTO clocks (partition, queue, version, state, running_enforcement, fencing_token)
         VALUES ($1, $2, 1, '{}', $2, 1)`,
        [partition, enforcement],
      );
    }
    await db.query('DELETE FROM events');
  });

  const plans = async (enforcement: string, allocation: string, uid?: string) =>
    db.query(
      `INSERT INTO planned_victims (enforcement, partition, allocation, uid)
       SELECT $1, partition, id, coalesce($3, uid) FROM simulated_allocations WHERE id = $2`,
      [enforcement, allocation, uid],
    );
  const settles = (enforcement: string, allocation: string, name: 'VictimFailed' | 'VictimSpared') =>
    db.query(
      `INSERT INTO events (stream, version, id, type, topic, partition, key, time, data)
       VALUES ($1, 1, gen_random_uuid(), $2, 'curtail.evictions', $3, 'root.a.b', now(), $4)`,
      [runStream(enforcement), catalog[name].type, partition, JSON.stringify({ allocation })],
    );
  /** 6 are used, 3 of them by an allocation that is leaving. */
  const above = async (max: number) => {
    const facts = await new FindQueueFacts(db, cluster).of(run, { vcore: max });
    if ('unreachable' in facts) throw new Error(facts.unreachable);
    return facts.above.vcore ?? 0;
  };

  it('does not count leaving allocations', async () => {
    expect([await above(3), await above(2)]).toEqual([0, 1]);
  });

  it('does not count allocations that other runs are still to evict in it, however many', async () => {
    for (const id of ['in-2', 'in-3', 'out-1']) await plans('e-2', id);
    await plans('e-3', 'in-2');
    expect([await above(1), await above(0)]).toEqual([0, 1]);
  });

  it('counts victims of runs that have lost their lock', async () => {
    await plans('e-2', 'in-2');
    await db.query("DELETE FROM clocks WHERE running_enforcement = 'e-2'");
    expect(await above(0)).toBe(3);
  });

  it('counts its own victims that stayed, and other incarnations', async () => {
    await plans('e-1', 'in-1');
    await plans('e-2', 'in-2', '00000000-0000-4000-8000-000000000000');
    expect(await above(0)).toBe(3);
  });

  it('counts spared victims of other runs', async () => {
    for (const id of ['in-1', 'in-2']) await plans('e-2', id);
    await settles('e-2', 'in-1', 'VictimFailed');
    expect(await above(0)).toBe(1);
    await settles('e-3', 'in-2', 'VictimSpared');
    expect(await above(0)).toBe(1);
  });

  it('is not known while the cluster does not answer', async () => {
    const away = Object.assign(Object.create(cluster) as SimulatedCluster, {
      usage: () => Promise.reject(new Error('no route')),
    });
    expect(await new FindQueueFacts(db, away).of(run, { vcore: 1 })).toEqual({ unreachable: 'no route' });
  });
});
