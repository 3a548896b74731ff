import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import fc from 'fast-check';
import { type DataSource, EntityManager } from 'typeorm';
import type { DomainEvent } from '#contracts';
import { openDatabase } from '#event-store';
import { faultsOf } from '../../../../test/contracts/snapshot-faults.js';
import { createMigratedDatabase, type TestDatabase } from '../../../../test/support/database.js';
import { deliver, inbound } from '../../../../test/support/reporting-platform.js';
import { recordCheckpoint } from '../tables/statements.js';
import { TooManyAllocations } from '../unknown-place.js';
import { AnswerWakeUps } from './answer-wake-ups.js';
import { EvictionRequests } from './eviction-requests.js';
import { InventoryCluster } from './inventory-cluster.js';
import { InventoryReports } from './inventory-reports.js';
import { LARGE_QUERIES } from './queries.js';
import type { ReportsWatermark } from './reports-watermark.js';

const partition = 'default';
const now = new Date('2026-11-21T10:00:00.000Z');
const startedAt = '2026-11-21T09:00:00.000Z';

const started = (sequence: number, id: string, uid = id, queue = 'root.a', memory = 1): DomainEvent => ({
  name: 'AllocationStarted',
  data: {
    partition,
    sequence,
    id,
    uid,
    application: 'app',
    queue,
    resources: { memory },
    startedAt,
  },
});
const released = (sequence: number, id: string, uid = id): DomainEvent => ({
  name: 'AllocationReleased',
  data: { partition, sequence, id, uid },
});
const listed = (sequence: number, ids: string[], page = 1, last = true): DomainEvent => ({
  name: 'InventoryListed',
  data: {
    partition,
    sequence,
    page,
    last,
    allocations: ids.map((id) => ({
      id,
      uid: id,
      application: 'app',
      queue: 'root.a',
      resources: { memory: 1 },
      startedAt,
    })),
  },
});

describe('the inventory, by what is reported', () => {
  let server: TestDatabase;
  let db: DataSource;
  let cluster: InventoryCluster;
  const reports = new InventoryReports(() => now);

  beforeAll(async () => {
    server = await createMigratedDatabase();
    db = await openDatabase(server.url);
    cluster = newCluster();
  });
  const newCluster = (watermark?: ReportsWatermark) => {
    const requests = new EvictionRequests(db, new AnswerWakeUps(), { answerSeconds: 1 });
    return new InventoryCluster(db, requests, { staleSeconds: 60, watermark, now: () => now });
  };
  afterAll(async () => {
    await db?.destroy();
    await server?.drop();
  });
  beforeEach(() =>
    db.query(
      'TRUNCATE inventory_partitions, inventory_pages, inventory_nodes, inventory_applications, inventory_allocations, inventory_budgets, inventory_usage',
    ),
  );

  const receive = (...events: DomainEvent[]) =>
    deliver(
      db,
      reports,
      events.map((event) => inbound(event, now)),
    );
  const running = async () => {
    const allocations = await cluster.allocations({ partition, limit: 1000 });
    return allocations.map(({ id, uid }) => (id === uid ? id : `${id}/${uid}`));
  };
  const memory = async (queue = 'root') =>
    (await cluster.usage(partition, [queue])).get(queue)?.usage.memory ?? 0;

  it('has what started and was not released', async () => {
    await receive(started(1, 'a'), started(2, 'b'));
    await receive(released(3, 'a'));
    expect(await running()).toEqual(['b']);
    expect(await memory()).toBe(1);
  });

  it('is read page by page where there is much: all of it, in the order of ids, or none beyond the limit', async () => {
    const ids = Array.from({ length: 20_002 }, (_, i) => `a${i}`);
    await receive(listed(1, ids));
    const snapshot = await cluster.snapshot({ partition, most: 20_002 });
    expect(faultsOf(snapshot)).toEqual([]);
    expect(snapshot.allocations.map(({ id }) => id)).toEqual(ids.toSorted());
    await expect(cluster.snapshot({ partition, most: 20_001 })).rejects.toThrow(TooManyAllocations);
    await expect(cluster.snapshot({ partition, most: 20_000 })).rejects.toThrow(TooManyAllocations);
    expect(await cluster.snapshot({ partition })).toEqual(snapshot);
  });

  it('is read again only where reports have changed it: other incarnations, other queues and sizes', async () => {
    const ids = Array.from({ length: 20_010 }, (_, i) => `a${String(i).padStart(5, '0')}`);
    await receive(listed(1, ids));
    const scope = { partition, queue: 'root.a' };
    await cluster.snapshot(scope);
    const queries = jest.spyOn(EntityManager.prototype, 'query');
    const same = async () => {
      queries.mockClear();
      const read = await cluster.snapshot(scope);
      expect(queries.mock.calls.filter(([sql]) => sql === LARGE_QUERIES.page)).toEqual([]);
      expect(read).toEqual(await newCluster().snapshot(scope));
      return new Map(read.allocations.map((one) => [one.id, one]));
    };
    await receive(released(2, ids[0]!), started(3, ids[1]!, 'other'), started(4, ids[2]!, ids[2], 'root.b'));
    await receive(started(5, ids[3]!, ids[3], 'root.a', 5), started(6, ids[4]!, ids[4], 'root.a.b'));
    const first = await same();
    const seen = ids.slice(0, 5).map((id) => first.get(id));
    expect(seen.map((one) => one?.uid)).toEqual([undefined, 'other', undefined, ids[3], ids[4]]);
    await receive(started(7, ids[0]!, 'again'), released(8, ids[1]!, 'other'), started(9, ids[2]!, ids[2]));
    const second = await same();
    expect(ids.slice(0, 3).map((id) => second.get(id)?.uid)).toEqual(['again', undefined, ids[2]]);
    queries.mockRestore();
  });

  it('takes a large listing although the statistics are of a small table', async () => {
    await receive(started(1, 'a'));
    await db.query('ANALYZE inventory_allocations');
    const ids = Array.from({ length: 40_000 }, (_, i) => `a${i}`);
    // A quadratic statement takes minutes here, and the test ends before it does.
    await receive(listed(2, ids));
    expect(await memory()).toBe(40_000);
    await receive(...ids.map((id, i) => started(3 + i, id, `${id}-again`)));
    expect(await memory()).toBe(40_000);
  });

  it('is refused where reports got lost while the reader of a large queue waited for its turn', async () => {
    await receive(
      listed(
        1,
        Array.from({ length: 20_001 }, (_, i) => `a${i}`),
      ),
    );
    const losses = [null, new Date(now.getTime() + 1000)];
    const unread = async () => ({ behind: [], missing: [], gapAt: losses.shift()! });
    const read = newCluster({ unread, placeOf: String }).snapshot({ partition });
    await expect(read).rejects.toThrow(/reports were lost in transit/);
  });

  it('does not bring back an allocation that was released before its start arrived', async () => {
    await receive(released(2, 'a'));
    await receive(started(1, 'a'));
    expect(await running()).toEqual([]);
    expect(await memory()).toBe(0);
  });

  it('keeps the newest report of an allocation, whichever arrives last', async () => {
    await receive(started(2, 'a', 'a', 'root.b', 5));
    await receive(started(1, 'a', 'a', 'root.a', 3));
    expect([await memory('root.a'), await memory('root.b')]).toEqual([0, 5]);
  });

  it('has one incarnation under an id, and a late release takes that of its own', async () => {
    await receive(started(1, 'a', 'first'), started(3, 'a', 'second'));
    expect(await running()).toEqual(['a/second']);
    expect(await memory()).toBe(1);
    await receive(released(4, 'a', 'first'));
    expect(await running()).toEqual(['a/second']);
    expect(await memory()).toBe(1);
  });

  it('records protected allocations and ready owners, until the platform reports a change', async () => {
    const marked = (sequence: number, marks: { protected?: boolean; readyToGo?: boolean }): DomainEvent => {
      const { name, data } = started(sequence, 'a') as DomainEvent<'AllocationStarted'>;
      return { name, data: { ...data, ...marks } };
    };
    await receive(listed(1, ['b']), marked(2, { protected: true, readyToGo: true }));
    expect(await cluster.allocation(partition, 'a')).toMatchObject({ protected: true });
    expect(await cluster.readyToGo(partition, ['a', 'b', 'c'])).toEqual(new Set(['a']));
    await receive(marked(3, {}));
    expect(await cluster.allocation(partition, 'a')).not.toHaveProperty('protected');
    expect(await cluster.readyToGo(partition, ['a', 'b'])).toEqual(new Set());
  });

  it('knows queues and partitions without their case', async () => {
    await receive({
      name: 'AllocationStarted',
      data: { ...(started(1, 'a').data as object), partition: 'Default', queue: 'ROOT.A' },
    } as DomainEvent);
    expect(await memory('root.a')).toBe(1);
  });

  it('is the same in whatever order, however often and in whatever batches reports come', async () => {
    const history = [
      started(1, 'a'),
      started(2, 'b', 'b', 'root.a.x', 2),
      started(3, 'c', 'one', 'root.b', 4),
      started(4, 'b', 'b', 'root.a.y', 2),
      released(5, 'a'),
      released(6, 'c', 'one'),
      started(7, 'c', 'two', 'root.b', 8),
      started(8, 'd', 'd', 'root.b', 16),
      released(9, 'd'),
    ];
    const order = fc.shuffledSubarray([...history.keys(), ...history.keys()], {
      minLength: 2 * history.length,
    });
    await fc.assert(
      fc.asyncProperty(order, fc.integer({ min: 1, max: 20 }), async (indexes, batch) => {
        await db.query('TRUNCATE inventory_partitions, inventory_allocations, inventory_usage');
        for (let from = 0; from < indexes.length; from += batch) {
          await receive(...indexes.slice(from, from + batch).map((index) => history[index]!));
        }
        expect(await running()).toEqual(['b', 'c/two']);
        expect([await memory(), await memory('root.a'), await memory('root.b')]).toEqual([10, 2, 8]);
      }),
      { numRuns: 30 },
    );
  });

  it('keeps sums of queues that agree with a count of all', async () => {
    const report = fc.record({
      sequence: fc.integer({ min: 1, max: 60 }),
      id: fc.constantFrom('a', 'b', 'c'),
      uid: fc.constantFrom('one', 'two'),
      queue: fc.constantFrom('root.a', 'root.b'),
      memory: fc.integer({ min: 0, max: 9 }),
      kind: fc.constantFrom('start', 'start', 'release', 'list'),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(report, { minLength: 1, maxLength: 40 }), async (sent) => {
        for (let from = 0; from < sent.length; from += 5) {
          await receive(
            ...sent.slice(from, from + 5).map(({ kind, sequence, id, uid, queue, memory: amount }) => {
              if (kind === 'list') return listed(sequence, [id]);
              return kind === 'release'
                ? released(sequence, id, uid)
                : started(sequence, id, uid, queue, amount);
            }),
          );
        }
        const counted = await db.query<{ queue: string; sum: string }[]>(
          `SELECT queue, sum((resources ->> 'memory')::numeric)::text AS sum FROM inventory_allocations WHERE NOT gone
           GROUP BY queue`,
        );
        const sums = new Map(counted.map(({ queue, sum }) => [queue, Number(sum)]));
        for (const queue of ['root.a', 'root.b']) expect(await memory(queue)).toBe(sums.get(queue) ?? 0);
      }),
      { numRuns: 20 },
    );
  });

  describe('a listing', () => {
    it('takes away what it does not have, with its last missing page and not before', async () => {
      await receive(started(1, 'a'), started(2, 'b'));
      await receive(listed(5, ['x'], 2, true));
      expect(await running()).toEqual(['a', 'b', 'x']);
      await receive(listed(5, ['b'], 1, false));
      expect(await running()).toEqual(['b', 'x']);
      expect(await memory()).toBe(2);
    });

    it('leaves what was reported after it, and takes no report from before it any more', async () => {
      await receive(started(6, 'new'));
      await receive(listed(5, ['b']));
      await receive(started(4, 'late'), released(3, 'b'));
      expect(await running()).toEqual(['b', 'new']);
    });

    it('that was dropped gives way to the next one', async () => {
      await receive(listed(5, ['old'], 1, false));
      await receive(listed(8, ['a']));
      await receive(listed(5, ['late'], 2, true));
      expect(await running()).toEqual(['a']);
    });
  });

  describe('is known', () => {
    it('not before a listing is complete', async () => {
      await expect(cluster.assertKnown(partition)).rejects.toThrow('no report of partition');
      await receive(started(1, 'a'), listed(2, ['a'], 1, false));
      await expect(cluster.snapshot({ partition })).rejects.toThrow('never listed completely');
      await receive(listed(2, [], 2, true));
      await expect(cluster.assertKnown(partition)).resolves.toBeUndefined();
    });

    it('not when the scheduler was silent for too long, by its own clock', async () => {
      const old = new Date(now.getTime() - 61_000);
      await deliver(db, reports, [inbound(listed(1, ['a']), old)]);
      await expect(cluster.snapshot({ partition, queue: 'root.a' })).rejects.toThrow(
        'last reported at 2026-11-21T09:58:59.000Z',
      );
      await receive({ name: 'InventoryConfirmed', data: { partition } });
      await expect(cluster.snapshot({ partition })).resolves.toMatchObject({ partition });
    });

    it('for the moment of the last report of its scheduler', async () => {
      const sentAt = new Date(now.getTime() - 20_000);
      await deliver(db, reports, [inbound(listed(1, ['a']), sentAt)]);
      expect(await cluster.snapshot({ partition })).toMatchObject({ takenAt: sentAt.toISOString() });
      await receive({ name: 'InventoryConfirmed', data: { partition } });
      expect(await cluster.snapshot({ partition })).toMatchObject({ takenAt: now.toISOString() });
      await deliver(db, reports, [inbound(started(2, 'b'), sentAt)]);
      expect(await cluster.snapshot({ partition })).toMatchObject({ takenAt: now.toISOString() });
    });

    it('as of now at the most, by a scheduler whose clock is ahead', async () => {
      await deliver(db, reports, [inbound(listed(1, []), new Date(now.getTime() + 3_600_000))]);
      const later = new InventoryCluster(
        db,
        new EvictionRequests(db, new AnswerWakeUps(), { answerSeconds: 1 }),
        {
          staleSeconds: 60,
          now: () => new Date(now.getTime() + 61_000),
        },
      );
      await expect(later.assertKnown(partition)).rejects.toThrow('last reported at');
    });
  });

  it('makes the applications that were not reported from their allocations', async () => {
    await receive(listed(1, ['a']));
    expect((await cluster.snapshot({ partition })).applications).toMatchObject([
      { id: 'app', queue: 'root.a', priority: 0 },
    ]);
    expect(await cluster.application(partition, 'app')).toEqual({
      application: { id: 'app', queue: 'root.a', priority: 0, pending: [], properties: {} },
      usage: { memory: 1 },
      inFlight: {},
    });
  });

  it('knows the user and priority of an application that has ended before its allocations', async () => {
    await receive(listed(1, ['a']));
    await receive({
      name: 'ApplicationSubmitted',
      data: { partition, sequence: 2, id: 'app', queue: 'root.a', user: 'ada', priority: 3 },
    });
    await receive({ name: 'ApplicationEnded', data: { partition, sequence: 3, id: 'app' } });
    expect((await cluster.snapshot({ partition, queue: 'root.a' })).applications).toMatchObject([
      { id: 'app', queue: 'root.a', user: 'ada', priority: 3 },
    ]);
    expect(await cluster.application(partition, 'app')).toMatchObject({
      application: { id: 'app', queue: 'root.a', user: 'ada', priority: 3, pending: [] },
      usage: { memory: 1 },
    });
  });

  it('has no application any more that has ended, when its last allocation was released', async () => {
    await receive(listed(1, ['a']), {
      name: 'ApplicationSubmitted',
      data: { partition, sequence: 2, id: 'app', queue: 'root.a', user: 'ada', priority: 3 },
    });
    await receive(released(3, 'a'));
    expect(await cluster.application(partition, 'app')).toMatchObject({ usage: {} });
    await receive({ name: 'ApplicationEnded', data: { partition, sequence: 4, id: 'app' } });
    expect(await cluster.application(partition, 'app')).toBeUndefined();
  });

  it('counts all that an application has, in whatever queue it was reported', async () => {
    await receive(started(1, 'a', 'a', 'root.b', 5), started(2, 'b', 'b', 'root.a', 3));
    expect(await cluster.application(partition, 'app')).toMatchObject({
      application: { queue: 'root.a' },
      usage: { memory: 8 },
    });
  });

  const startedWith = (sequence: number, id: string, more: object): DomainEvent => {
    const { data } = started(sequence, id);
    return { name: 'AllocationStarted', data: { ...data, ...more } } as DomainEvent;
  };
  const budget = (sequence: number, id: string, allowed: number): DomainEvent => ({
    name: 'BudgetSet',
    data: { partition, sequence, id, allowed },
  });

  it('has the newest report of a disruption budget, whatever came first; an unknown or removed one allows nothing', async () => {
    const budgets = async () => (await cluster.snapshot({ partition })).budgets;
    await receive(listed(1, ['b']));
    expect(await budgets()).toBeUndefined();
    await receive(startedWith(2, 'a', { budgets: ['web', 'db'] }));
    expect(await budgets()).toEqual([
      { id: 'db', allowed: 0 },
      { id: 'web', allowed: 0 },
    ]);
    await receive(budget(5, 'web', 3), budget(4, 'db', 1));
    await receive(budget(3, 'web', 9), budget(6, 'other', 9));
    expect(await budgets()).toEqual([
      { id: 'db', allowed: 1 },
      { id: 'web', allowed: 3 },
    ]);
    await receive({ name: 'BudgetRemoved', data: { partition, sequence: 7, id: 'web' } });
    expect(await budgets()).toContainEqual({ id: 'web', allowed: 0 });
    await receive(startedWith(8, 'a', { budgets: ['db'] }));
    expect(await budgets()).toEqual([{ id: 'db', allowed: 1 }]);
  });

  it('no longer has a budget that a later listing is without', async () => {
    const page = (sequence: number, more: object): DomainEvent => {
      const { data } = listed(sequence, []);
      const allocations = [(startedWith(1, 'a', { budgets: ['web'] }) as { data: object }).data];
      return { name: 'InventoryListed', data: { ...data, allocations, ...more } } as DomainEvent;
    };
    await receive(page(1, { budgets: [{ id: 'web', allowed: 2 }] }));
    expect((await cluster.snapshot({ partition })).budgets).toEqual([{ id: 'web', allowed: 2 }]);
    await receive(page(2, {}));
    expect((await cluster.snapshot({ partition })).budgets).toEqual([{ id: 'web', allowed: 0 }]);
  });

  it('keeps the latest checkpoint of an incarnation, from a report or recorded by itself', async () => {
    const checkpointOf = async () => (await cluster.allocation(partition, 'a'))?.checkpointedAt;
    const [early, late] = ['2026-11-21T09:10:00.000Z', '2026-11-21T09:20:00.000Z'];
    await receive(startedWith(1, 'a', { checkpointedAt: early }));
    expect(await checkpointOf()).toBe(early);
    await receive(started(2, 'a'));
    expect(await checkpointOf()).toBe(early);
    const record = (at: string, uid?: string) =>
      recordCheckpoint(db.manager, { partition, allocation: 'a', uid, at: new Date(at) });
    expect(await record(late, 'another')).toBe(false);
    expect(await checkpointOf()).toBe(early);
    expect(await record(late, 'a')).toBe(true);
    expect(await record(early)).toBe(true);
    await receive(startedWith(3, 'a', { checkpointedAt: early }));
    expect(await checkpointOf()).toBe(late);
    await receive(started(4, 'a', 'second'));
    expect(await checkpointOf()).toBeUndefined();
  });

  it('does not record a checkpoint of the future, nor of one that is gone', async () => {
    await receive(started(1, 'a'), started(2, 'b'));
    await receive(released(3, 'b'));
    const of = (allocation: string) => ({ partition, allocation, at: new Date('2999-01-01T00:00:00Z') });
    expect(await recordCheckpoint(db.manager, of('b'))).toBe(false);
    expect(await recordCheckpoint(db.manager, of('a'))).toBe(true);
    const saved = (await cluster.allocation(partition, 'a'))?.checkpointedAt;
    const [{ now: clock }] = await db.query<[{ now: Date }]>('SELECT now()');
    expect(Date.parse(saved!)).toBeLessThanOrEqual(clock.getTime());
  });

  it('has the gang of an application, also while its allocations outlive it', async () => {
    await receive(listed(1, ['a']), {
      name: 'ApplicationSubmitted',
      data: { partition, sequence: 2, id: 'app', queue: 'root.a', gang: { minMembers: 3 } },
    });
    const gang = async () => (await cluster.snapshot({ partition })).applications[0]?.gang;
    expect(await gang()).toEqual({ minMembers: 3 });
    await receive({ name: 'ApplicationEnded', data: { partition, sequence: 3, id: 'app' } });
    expect(await gang()).toEqual({ minMembers: 3 });
    expect((await cluster.application(partition, 'app'))?.application.gang).toEqual({ minMembers: 3 });
  });

  it('has budgets and checkpoints in snapshots that are read page by page', async () => {
    const ids = Array.from({ length: 20_001 }, (_, i) => `p${String(i).padStart(5, '0')}`);
    const saved = { budgets: ['web', 'new\nline'], checkpointedAt: '2026-11-21T09:30:00.000Z' };
    await receive(listed(1, ids), startedWith(2, 'p00007', saved), budget(3, 'web', 4));
    const { allocations, budgets } = await cluster.snapshot({ partition });
    expect(allocations[7]).toMatchObject(saved);
    expect(allocations[8]).not.toHaveProperty('budgets');
    expect(budgets).toEqual([
      { id: 'new\nline', allowed: 0 },
      { id: 'web', allowed: 4 },
    ]);
  });

  it('counts one incarnation of an allocation for its application and its node', async () => {
    const on = (event: DomainEvent) => ({ ...event, data: { ...event.data, node: 'n1' } }) as DomainEvent;
    await receive({ name: 'NodeAdded', data: { partition, sequence: 1, id: 'n1', capacity: { memory: 9 } } });
    await receive(on(started(2, 'a', 'first', 'root.a', 3)));
    await receive(on(started(3, 'a', 'second', 'root.a', 3)));
    expect(await cluster.application(partition, 'app')).toMatchObject({ usage: { memory: 3 } });
    expect(await cluster.node(partition, 'n1')).toMatchObject({ usage: { memory: 3 } });
  });

  it('has the newest report of whether a node starts work', async () => {
    const nodes = async () => [
      (await cluster.snapshot({ partition })).nodes?.[0],
      (await cluster.node(partition, 'n1'))?.node,
    ];
    const node = { partition, id: 'n1', capacity: { memory: 9 } };
    const plain = { id: 'n1', capacity: { memory: 9 }, labels: {} };
    await receive(listed(1, []));
    await receive({ name: 'NodeAdded', data: { ...node, sequence: 2, schedulable: false } });
    expect(await nodes()).toEqual(Array(2).fill({ ...plain, schedulable: false }));
    await receive({ name: 'NodeAdded', data: { ...node, sequence: 3 } });
    expect(await nodes()).toEqual(Array(2).fill(plain));
  });

  it('no longer has a removed node, even with reports of work on it', async () => {
    const node = { partition, id: 'n1', capacity: { memory: 9 } };
    const { data } = started(2, 'a') as { data: object };
    await receive({ name: 'NodeAdded', data: { ...node, sequence: 1 } }, {
      name: 'AllocationStarted',
      data: { ...data, node: 'n1' },
    } as DomainEvent);
    expect(await cluster.node(partition, 'n1')).toMatchObject({ usage: { memory: 1 } });
    await receive(started(3, 'a'));
    expect(await cluster.node(partition, 'n1')).toMatchObject({ usage: {} });
    await receive({ name: 'NodeRemoved', data: { partition, sequence: 4, id: 'n1' } });
    expect(await cluster.node(partition, 'n1')).toBeUndefined();
  });
});
