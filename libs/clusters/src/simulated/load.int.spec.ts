import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { type DataSource, EntityManager } from 'typeorm';
import { InputError } from '#contracts';
import { faultsOf } from '../../../../test/contracts/snapshot-faults.js';
import { openGate } from '../../../../test/support/open-gate.js';
import { createSimulatedDatabase } from '../../../../test/support/simulated.js';
import { TooManyAllocations } from '../unknown-place.js';
import { USAGE_QUERY } from './live-queries.js';
import { loadSimulated } from './load.js';
import { clear, place } from './place.js';
import { sampleCluster, seedSample } from './sample.js';
import { SimulatedCluster } from './simulated-cluster.js';
import { LARGE_SIMULATED_QUERIES } from './snapshot-query.js';
import { countWork } from './work.js';

const now = new Date('2026-11-21T10:00:00Z');
const toText = (value: unknown) => (value instanceof Date ? value.toISOString() : String(value));

const startedAt = '2026-11-21T09:00:00Z';

describe('work in the simulated cluster', () => {
  let dataSource: DataSource;
  let close: () => Promise<void>;
  let cluster: SimulatedCluster;

  beforeAll(async () => {
    ({ dataSource, close } = await createSimulatedDatabase());
    cluster = new SimulatedCluster(dataSource, () => now);
  });
  afterAll(() => close?.());
  beforeEach(() => clear(dataSource, 'default'));

  const load = (spec: object) => loadSimulated(dataSource, 'default', spec, undefined, now);

  it('is loaded as asked for, page by page, and can be planned with', async () => {
    const progress: [number, number][] = [];
    const spec = { queues: 20, allocations: 12_000, depth: 2, nodes: 30 };
    const loaded = await loadSimulated(dataSource, 'default', spec, (...step) => progress.push(step), now);
    // Each page of the load has changed the sums of all queues: their old versions would slow down each eviction.
    const [sums] = await dataSource.query(
      "SELECT vacuum_count::int AS vacuumed FROM pg_stat_user_tables WHERE relname = 'simulated_usage'",
    );
    expect(sums).toEqual({ vacuumed: 1 });
    expect(loaded).toEqual({
      partition: 'default',
      under: 'root.load',
      queues: 20,
      applications: 600,
      allocations: 12_000,
      nodes: 30,
    });
    expect(progress).toEqual([
      [0, 12_000],
      [5000, 12_000],
      [10_000, 12_000],
      [12_000, 12_000],
    ]);
    expect(await countWork(dataSource, 'default', now)).toEqual({
      nodes: 30,
      queues: 20,
      applications: 600,
      allocations: 12_000,
      leaving: 0,
    });
    const snapshot = await cluster.snapshot({ partition: 'default', queue: 'root.load' });
    expect(faultsOf(snapshot)).toEqual([]);
    expect(snapshot.allocations).toHaveLength(12_000);
  });

  it('is read page by page where there is much: all of it, in the order of ids and as of one moment', async () => {
    await load({ queues: 3, allocations: 20_002, nodes: 10 });
    await dataSource.query(`
      UPDATE simulated_allocations SET
        node = CASE WHEN random() < 0.5 THEN node END,
        resources = CASE WHEN random() < 0.5 THEN resources ELSE '{"a\\n, \\"b": 1, "c": 9007199254740991}' END,
        priority = CASE WHEN random() < 0.5 THEN -2147483648 END,
        role = CASE WHEN random() < 0.5 THEN 'originator' ELSE role END,
        state = CASE WHEN random() < 0.1 THEN 'releasing' ELSE state END,
        allow_preemption = random() < 0.5,
        protected = CASE WHEN random() < 0.5 THEN random() < 0.5 END,
        interruptible = CASE WHEN random() < 0.5 THEN random() < 0.5 END,
        started_at = started_at + make_interval(secs => random()),
        last_job_started_at = CASE WHEN random() < 0.5 THEN started_at + interval '1.2345 s' END
      WHERE id LIKE '%-00000__' OR id LIKE '%-00199__'`);
    const shown = await cluster.snapshot({ partition: 'default', queue: 'root.load' });
    expect(faultsOf(shown)).toEqual([]);
    expect([shown.nodes, shown.applications, shown.allocations].map((list) => list?.length)).toEqual([
      10, 1001, 20_002,
    ]);
    const listed = await cluster.allocations({ partition: 'default', limit: 10_000 });
    const further = { after: listed.at(-1)!.id, limit: 10_000 };
    listed.push(...(await cluster.allocations({ partition: 'default', ...further })));
    expect(shown.allocations.slice(0, 20_000)).toEqual(listed);
    const atMost = (most: number) => cluster.snapshot({ partition: 'default', queue: 'root.load', most });
    expect(await atMost(20_002)).toEqual(shown);
    await expect(atMost(20_001)).rejects.toThrow(TooManyAllocations);
    await expect(atMost(20_000)).rejects.toThrow(TooManyAllocations);
  });

  it('is listed with a plan for the values of each page: one for all would sort the whole of a large queue each time', async () => {
    await load({ queues: 3, allocations: 2000 });
    // As the services set it for their connections.
    await dataSource.query('VACUUM ANALYZE simulated_allocations');
    const read = jest.spyOn(EntityManager.prototype, 'query');
    await cluster.allocations({ partition: 'default', queue: 'root.load', limit: 10 });
    const page = read.mock.calls.map(([sql, values]) => [String(sql), values] as const);
    read.mockRestore();
    const plan = await dataSource.transaction(async (tx) => {
      await tx.query('SET LOCAL plan_cache_mode = force_generic_plan');
      for (const [sql, values] of page.slice(0, -1)) await tx.query(sql, values as unknown[]);
      const [sql, values] = page.at(-1)!;
      await tx.query(`PREPARE page (text, text, text, timestamptz, bigint) AS ${sql}`);
      const words = (values as unknown[]).map((value) => (value === null ? 'NULL' : `'${toText(value)}'`));
      const rows = await tx.query<{ 'QUERY PLAN': string }[]>(`EXPLAIN EXECUTE page (${words.join(', ')})`);
      await tx.query('DEALLOCATE page');
      return rows.map((row) => row['QUERY PLAN']).join('\n');
    });
    expect(plan).toContain('simulated_allocations_pkey');
    expect(plan).toContain("'root.load'");
    expect(plan).not.toMatch(/\$\d|Sort/);
  });

  it('reports the usage of a queue without reading its allocations', async () => {
    await load({ queues: 3, allocations: 5000 });
    await dataSource.query('SET plan_cache_mode = force_generic_plan');
    await dataSource.query(`PREPARE usage_of AS ${USAGE_QUERY}`);
    const plan = await dataSource.query<Record<string, string>[]>(
      "EXPLAIN (ANALYZE, COSTS off) EXECUTE usage_of (ARRAY['default'], ARRAY['root.load'], NULL)",
    );
    const lines = plan.map((line) => line['QUERY PLAN']!);
    const scans = lines.filter((line) => / on simulated_allocations/.test(line));
    expect(scans.join()).toContain('simulated_allocations_leaving');
    expect(scans.join()).not.toContain('simulated_allocations_by_queue');
    expect(lines.join()).not.toMatch(/Seq Scan on simulated_allocations/);
  });

  it('is the same for the same seed and moment', async () => {
    await load({ queues: 5, allocations: 300 });
    const first = await cluster.snapshot({ partition: 'default' });
    await load({ queues: 5, allocations: 300, replace: true });
    expect(await cluster.snapshot({ partition: 'default' })).toEqual(first);
  });

  it('has a uid of its own for each incarnation, in every queue and after every load', async () => {
    const uids = async () =>
      (await cluster.allocations({ partition: 'default', limit: 1000 })).map(({ uid }) => uid);
    await load({ under: 'root.a', queues: 1, allocations: 100 });
    await load({ under: 'root.b', queues: 1, allocations: 100 });
    const before = await uids();
    const later = new Date(now.getTime() + 1);
    const again = { under: 'root.a', queues: 1, allocations: 100, replace: true };
    await loadSimulated(dataSource, 'default', again, undefined, later);
    expect(new Set([...before, ...(await uids())]).size).toBe(300);
  });

  it('is not loaded over other work unless that is to be replaced', async () => {
    await load({ queues: 2, allocations: 20 });
    await expect(load({ queues: 3, allocations: 10 })).rejects.toThrow(/already has 2 applications/);
    await load({ queues: 3, allocations: 10, replace: true });
    expect(await countWork(dataSource, 'default', now)).toMatchObject({ queues: 3, allocations: 10 });
  });

  it('is never in a queue that has queues with work below it', async () => {
    await load({ queues: 1, allocations: 1, under: 'root.x' });
    await expect(load({ queues: 1, allocations: 1, under: 'root.x.q0' })).rejects.toBeInstanceOf(InputError);
    const above = { applications: [{ id: 'above', queue: 'root.x' }] };
    await expect(place(dataSource, 'default', above)).rejects.toThrow(/root.x and root.x.q0/);
    expect(await countWork(dataSource, 'default', now)).toMatchObject({ applications: 1 });
  });

  it('is not half there when a load fails on the way', async () => {
    const failing = loadSimulated(
      dataSource,
      'default',
      { queues: 2, allocations: 6000 },
      (done) => {
        if (done > 0) throw new Error('the caller has gone');
      },
      now,
    );
    await expect(failing).rejects.toThrow('the caller has gone');
    expect(await countWork(dataSource, 'default', now)).toMatchObject({
      nodes: 0,
      applications: 0,
      allocations: 0,
    });
  });

  it('is taken away below one queue, and only there', async () => {
    await load({ queues: 2, allocations: 20, under: 'root.x', nodes: 2 });
    await load({ queues: 2, allocations: 30, under: 'root.x-y', nodes: 3 });
    expect(await clear(dataSource, 'default', 'root.x')).toEqual({ applications: 2, allocations: 20 });
    expect(await countWork(dataSource, 'default', now)).toMatchObject({
      nodes: 3,
      queues: 2,
      allocations: 30,
    });
  });

  it('counts no allocation that is gone, swept or not', async () => {
    await place(dataSource, 'default', {
      applications: [{ id: 'app', queue: 'root.a' }],
      allocations: ['a1', 'a2', 'a3'].map((id) => ({
        id,
        application: 'app',
        queue: 'root.a',
        resources: { memory: 1 },
        startedAt,
      })),
    });
    const evict = (allocation: string, graceSeconds: number) =>
      cluster.evict(
        {
          partition: 'default',
          allocation,
          graceSeconds,
          evictionId: allocation,
          fencingToken: 1,
          reason: 'test',
        },
        openGate,
      );
    await evict('a1', 0);
    await evict('a2', 10);
    expect(await countWork(dataSource, 'default', now)).toMatchObject({ allocations: 2, leaving: 1 });
    expect(await cluster.reap()).toBe(1);
    expect(await cluster.reap()).toBe(0);
    expect(await countWork(dataSource, 'default', now)).toMatchObject({ allocations: 2, leaving: 1 });
    expect(await cluster.untilNextGone()).toBe(10_000);
  });

  it('gives a sum above 2^53 - 1 as that', async () => {
    await place(dataSource, 'default', {
      applications: [{ id: 'app', queue: 'root.a' }],
      allocations: ['a1', 'a2'].map((id) => ({
        id,
        application: 'app',
        queue: 'root.a',
        resources: { memory: Number.MAX_SAFE_INTEGER },
        startedAt,
      })),
    });
    const usage = await cluster.usage('default', ['root.a']);
    expect(usage.get('root.a')?.usage).toEqual({ memory: Number.MAX_SAFE_INTEGER });
  });

  it('begins with the sample, once', async () => {
    expect(await seedSample(dataSource, now)).toBe(true);
    expect(await seedSample(dataSource, now)).toBe(false);
    const snapshot = await cluster.snapshot({ partition: 'default' });
    expect(faultsOf(snapshot)).toEqual([]);
    expect(snapshot.allocations).toHaveLength(sampleCluster(now).allocations?.length ?? 0);
  });

  it('is read again only where it has changed, whichever transactions were under way when it was read', async () => {
    await load({ queues: 3, allocations: 20_010, nodes: 10 });
    const scope = { partition: 'default', queue: 'root.load' };
    const known = await cluster.snapshot(scope);
    const ids = known.allocations.map(({ id }) => id);
    const [first, second, third, last] = [ids[0]!, ids[1]!, ids[10_000]!, ids.at(-1)!];
    const runner = dataSource.createQueryRunner();
    await runner.startTransaction();
    await runner.query('UPDATE simulated_allocations SET priority = 7 WHERE id = $1', [third]);
    await dataSource.query('DELETE FROM simulated_allocations WHERE id = ANY ($1)', [[first, last]]);
    await dataSource.query('UPDATE simulated_allocations SET id = $2 WHERE id = $1', [
      second,
      `${second}-new`,
    ]);
    const queries = jest.spyOn(EntityManager.prototype, 'query');
    const changed = await cluster.snapshot(scope);
    expect(queries.mock.calls.filter(([sql]) => sql === LARGE_SIMULATED_QUERIES.page)).toEqual([]);
    const afresh = () => new SimulatedCluster(dataSource, () => now).snapshot(scope);
    expect(changed.allocations).toEqual((await afresh()).allocations);
    expect(changed.allocations).toHaveLength(20_008);
    expect(changed.allocations[5]).toBe(known.allocations[6]);
    await runner.commitTransaction();
    await runner.release();
    queries.mockClear();
    const later = await cluster.snapshot(scope);
    expect(queries.mock.calls.filter(([sql]) => sql === LARGE_SIMULATED_QUERIES.page)).toEqual([]);
    queries.mockRestore();
    expect(later.allocations.find(({ id }) => id === third)?.priority).toBe(7);
    expect(later.allocations).toEqual((await afresh()).allocations);
    await dataSource.query('UPDATE simulated_allocations SET priority = 8 WHERE id < $1', [ids[15_000]]);
    expect((await cluster.snapshot(scope)).allocations).toEqual((await afresh()).allocations);
  });
});
