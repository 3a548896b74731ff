import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { DataSource } from 'typeorm';
import type { ClusterDriver, EvictionGate, EvictionRequest } from '#clusters';
import {
  clusterSize,
  type DisruptionBudget,
  type SnapshotAllocation,
  type SnapshotApplication,
  type SnapshotNode,
} from '#contracts';
import { openGate } from '../support/open-gate.js';
import { faultsOf } from './snapshot-faults.js';

/** A driver with control of the cluster behind it, for changes that a test makes and Curtail cannot. */
export interface ClusterUnderTest {
  driver: ClusterDriver;
  /** The database in which the driver makes its requests. */
  db: DataSource;
  /** The part of the work that the cluster can hold, which the tests expect; absent: all of it. */
  holds?(work: ContractWork): ContractWork;
  /** Removes all work of the partition, then adds this work. */
  fill(partition: string, work: ContractWork): Promise<void>;
  /** The allocation ends, and another incarnation starts under the same id. */
  recreate(partition: string, allocation: SnapshotAllocation): Promise<void>;
  /** The cluster refuses the next `times` evictions of this allocation. */
  refuse(partition: string, allocation: SnapshotAllocation, times: number): Promise<void>;
  /** Advances the time of the cluster, and resolves when the cluster has noticed it. */
  pass(seconds: number): Promise<void>;
  close(): Promise<void>;
}

export interface ContractWork {
  nodes: SnapshotNode[];
  applications: SnapshotApplication[];
  allocations: SnapshotAllocation[];
  /** Absent: the cluster knows no budgets. */
  budgets?: DisruptionBudget[];
}

const partition = 'contract';
const GB = 1_000_000_000;

/** The contract of every driver of a cluster. Run it from the driver's own spec. */
export function clusterDriverContract(name: string, makeDriver: () => Promise<ClusterUnderTest>): void {
  describe(`cluster driver contract: ${name}`, () => {
    let cluster: ClusterUnderTest;
    let driver: ClusterDriver;
    let held: ContractWork;
    const byId = (id: string) => one(held.allocations, id);

    beforeAll(async () => {
      cluster = await makeDriver();
      driver = cluster.driver;
      held = cluster.holds?.(work()) ?? work();
    });
    afterAll(() => cluster?.close());
    beforeEach(() => cluster.fill(partition, work()));

    const evict = (allocation: string, more: Partial<EvictionRequest> = {}, gate = openGate) =>
      driver.evict(
        {
          partition,
          allocation,
          graceSeconds: 10,
          evictionId: `kill-${allocation}`,
          fencingToken: 1,
          reason: 'The quota of root.a was lowered.',
          ...more,
        },
        gate,
      );
    const remaining = async (id: string): Promise<SnapshotAllocation> => {
      const allocation = await driver.allocation(partition, id);
      if (allocation === undefined) throw new Error(`${id} is not there`);
      return allocation;
    };
    const usageOf = async (queue: string) => (await driver.usage(partition, [queue])).get(queue);

    it('has the total capacity of its nodes', async () => {
      const snapshot = await driver.snapshot({ partition });
      expect(await driver.capacity(partition)).toEqual(clusterSize(snapshot.nodes ?? []));
      expect(Object.keys(await driver.capacity(partition))).toContain('memory');
      expect(await driver.capacity('nowhere')).toEqual({});
    });

    it('has a version of the work of each queue, which changes with that work alone', async () => {
      const versions = async () => (await driver.versions?.(partition, ['root.a.x', 'root.b'])) ?? new Map();
      const before = await versions();
      expect([...before.keys()].sort()).toEqual(['root.a.x', 'root.b']);
      expect(await versions()).toEqual(before);
      await cluster.recreate(partition, byId('x-1'));
      const after = await versions();
      expect(after.get('root.a.x')).not.toBe(before.get('root.a.x'));
      expect(after.get('root.b')).toBe(before.get('root.b'));
      await evict('b-1');
      expect((await versions()).get('root.b')).not.toBe(after.get('root.b'));
    });

    describe('snapshot', () => {
      it('of the whole partition is one that a planner can read, with everything in it', async () => {
        const snapshot = await driver.snapshot({ partition });
        expect(faultsOf(snapshot)).toEqual([]);
        expect(snapshot.partition).toBe(partition);
        expect(snapshot.queues.map((queue) => queue.path)).toEqual([
          'root',
          'root.a',
          'root.a-b',
          'root.a.x',
          'root.a.y',
          'root.b',
        ]);
        expect(snapshot.allocations.map((allocation) => allocation.id)).toEqual([
          'ab-1',
          'b-1',
          'x-1',
          'x-2',
          'y-1',
        ]);
      });

      it('of more allocations than the limit is refused; of exactly as many it is not', async () => {
        const tooMany = driver.snapshot({ partition, queue: 'root.a', most: 2 });
        await expect(tooMany).rejects.toThrow('root.a of partition contract has more than 2 allocations');
        expect((await driver.snapshot({ partition, queue: 'root.a', most: 3 })).allocations).toHaveLength(3);
      });

      it('of a queue has the queue, all queues below it and its ancestors, and no work of others', async () => {
        const snapshot = await driver.snapshot({ partition, queue: 'root.a' });
        expect(faultsOf(snapshot)).toEqual([]);
        expect(snapshot.queues.map((queue) => queue.path)).toEqual([
          'root',
          'root.a',
          'root.a.x',
          'root.a.y',
        ]);
        expect(snapshot.applications.map((application) => application.id)).toEqual(['app-x', 'app-y']);
        expect(snapshot.allocations.map((allocation) => allocation.id)).toEqual(['x-1', 'x-2', 'y-1']);
        expect(snapshot.nodes?.map((node) => node.id)).toEqual(['n1', 'n2']);
      });

      it('of a queue without work has the queue and its ancestors', async () => {
        const snapshot = await driver.snapshot({ partition, queue: 'root.c.d' });
        expect(faultsOf(snapshot)).toEqual([]);
        expect(snapshot.queues.map((queue) => queue.path)).toEqual(['root', 'root.c', 'root.c.d']);
        expect(snapshot.allocations).toEqual([]);
      });

      it('keeps all fields of allocations and applications', async () => {
        const snapshot = await driver.snapshot({ partition, queue: 'root.a.x' });
        expect(snapshot.applications).toMatchObject([withoutPending(one(held.applications, 'app-x'))]);
        expect(snapshot.allocations).toMatchObject([
          { ...byId('x-1'), uid: expect.any(String), state: 'running' },
          { ...byId('x-2'), uid: expect.any(String), state: 'running' },
        ]);
        expect(await remaining('ab-1')).toMatchObject({ ...byId('ab-1'), state: 'running' });
      });

      it('has the disruption budgets that its allocations name; one that the cluster does not have allows nothing', async () => {
        const budgetsOf = async (queue: string) => (await driver.snapshot({ partition, queue })).budgets;
        const [web] = held.budgets ?? [];
        expect(await budgetsOf('root.a')).toEqual(web && [{ id: 'unknown', allowed: 0 }, web]);
        expect(await budgetsOf('root.b')).toBeUndefined();
      });
    });

    describe('usage', () => {
      it('is the sum over a queue and all below it, and empty for a queue without work', async () => {
        const usage = await driver.usage(partition, ['root', 'root.a', 'root.a.x', 'root.nothing']);
        expect(Object.fromEntries(usage)).toEqual({
          root: { usage: { memory: 15 * GB, vcore: 5000, gpu: 1 }, inFlight: {} },
          'root.a': { usage: { memory: 7 * GB, vcore: 3000, gpu: 1 }, inFlight: {} },
          'root.a.x': { usage: { memory: 3 * GB, vcore: 2000 }, inFlight: {} },
          'root.nothing': { usage: {}, inFlight: {} },
        });
      });

      it('includes leaving allocations, as in flight, until they are gone', async () => {
        await evict('x-1');
        expect(await usageOf('root.a')).toEqual({
          usage: { memory: 7 * GB, vcore: 3000, gpu: 1 },
          inFlight: { memory: 1 * GB, vcore: 1000 },
        });
        await cluster.pass(10);
        expect(await usageOf('root.a')).toEqual({
          usage: { memory: 6 * GB, vcore: 2000, gpu: 1 },
          inFlight: {},
        });
      });

      it('agrees with the snapshot of the same moment', async () => {
        await evict('y-1');
        const snapshot = await driver.snapshot({ partition, queue: 'root.a' });
        const memory = (states: string[]) =>
          snapshot.allocations
            .filter((allocation) => states.includes(allocation.state ?? 'running'))
            .reduce((sum, allocation) => sum + (allocation.resources.memory ?? 0), 0);
        const found = await usageOf('root.a');
        expect(found?.usage.memory).toBe(memory(['running', 'releasing', 'preempting']));
        expect(found?.inFlight.memory).toBe(memory(['releasing', 'preempting']));
      });
    });

    describe('the allocations that queues hold', () => {
      const counted = async (queue: string) =>
        (await driver.allocations({ partition, queue, limit: 1000 })).length;

      it('are counted over a queue and all below it; queues without any are missing', async () => {
        const held = await driver.held(partition, ['root', 'root.a', 'root.a.x', 'root.nothing']);
        const expected = await Promise.all(['root', 'root.a', 'root.a.x'].map(counted));
        expect(Math.min(...expected)).toBeGreaterThan(0);
        expect(Object.fromEntries(held)).toEqual({
          root: expected[0],
          'root.a': expected[1],
          'root.a.x': expected[2],
        });
        expect((await driver.held(partition, [])).size).toBe(0);
        const queues = await driver.queuesWithWork(partition);
        expect(queues).toContain('root.a.x');
        expect(queues).not.toContain('root.nothing');
        expect(queues).toEqual([...queues].sort());
      });

      it('include those that are leaving, until they are gone', async () => {
        const before = await counted('root.a.x');
        const all = await driver.allocations({ partition, queue: 'root.a.x', limit: 1000 });
        for (const { id } of all) await evict(id);
        expect((await driver.held(partition, ['root.a.x'])).get('root.a.x')).toBe(before);
        expect(await driver.queuesWithWork(partition)).toContain('root.a.x');
        await cluster.pass(10);
        expect(await driver.held(partition, ['root.a.x'])).toEqual(new Map());
        expect(await driver.queuesWithWork(partition)).not.toContain('root.a.x');
      });
    });

    describe('an application', () => {
      it('is the same as in a snapshot, with its usage', async () => {
        const { applications } = await driver.snapshot({ partition });
        const [appX] = applications.filter(({ id }) => id === 'app-x');
        expect(appX).toMatchObject({
          ...withoutPending(one(held.applications, 'app-x')),
          pending: [{ resources: { memory: 2 * GB }, count: 3 }],
        });
        expect(await driver.application(partition, 'app-x')).toEqual({
          application: appX,
          usage: { memory: 3 * GB, vcore: 2000 },
          inFlight: {},
        });
      });

      it('includes leaving allocations in its usage, as in flight, until they are gone', async () => {
        await evict('x-1');
        expect(await driver.application(partition, 'app-x')).toMatchObject({
          usage: { memory: 3 * GB, vcore: 2000 },
          inFlight: { memory: 1 * GB, vcore: 1000 },
        });
        await cluster.pass(10);
        expect(await driver.application(partition, 'app-x')).toMatchObject({
          usage: { memory: 2 * GB, vcore: 1000 },
          inFlight: {},
        });
      });

      it('is there without any work', async () => {
        await evict('y-1', { graceSeconds: 0 });
        expect(await driver.application(partition, 'app-y')).toMatchObject({
          application: { id: 'app-y', queue: 'root.a.y', user: 'ada' },
          usage: {},
          inFlight: {},
        });
      });

      it('is undefined where there is none', async () => {
        expect(await driver.application(partition, 'absent')).toBeUndefined();
        expect(await driver.application('elsewhere', 'app-x')).toBeUndefined();
      });
    });

    describe('gangs and disruption budgets', () => {
      it('are as they are now: running members without daemons, and what is left after an eviction', async () => {
        const hasGang = one(held.applications, 'app-x').gang !== undefined;
        const gang = async () => (await driver.gangs(partition, ['app-x', 'app-y', 'nowhere'])).get('app-x');
        const left = async () => Object.fromEntries(await driver.budgetsLeft(partition, ['web', 'unknown']));
        expect(await gang()).toEqual(
          hasGang ? { minMembers: 2, members: [(await remaining('x-1')).uid] } : undefined,
        );
        expect(await left()).toEqual(held.budgets ? { web: 2 } : {});
        expect(await evict('x-1')).toEqual({ kind: 'accepted', repeated: false });
        expect(await gang()).toEqual(hasGang ? { minMembers: 2, members: [] } : undefined);
        expect(await left()).toEqual(held.budgets ? { web: 1 } : {});
        await cluster.pass(11);
        expect(await left()).toEqual(held.budgets ? { web: 1 } : {});
      });
    });

    describe('a node', () => {
      it('is the same as in a snapshot, with its usage', async () => {
        const { nodes } = await driver.snapshot({ partition });
        const [n1] = nodes?.filter(({ id }) => id === 'n1') ?? [];
        expect(n1).toMatchObject(held.nodes[0]!);
        expect(await driver.node(partition, 'n1')).toEqual({
          node: n1,
          usage: { memory: 3 * GB, vcore: 2000 },
          inFlight: {},
        });
      });

      it('includes allocations that leave it in its usage, as in flight, until they are gone', async () => {
        await evict('x-2');
        expect(await driver.node(partition, 'n1')).toMatchObject({
          usage: { memory: 3 * GB, vcore: 2000 },
          inFlight: { memory: 2 * GB, vcore: 1000 },
        });
        await cluster.pass(10);
        expect(await driver.node(partition, 'n1')).toMatchObject({
          usage: { memory: 1 * GB, vcore: 1000 },
          inFlight: {},
        });
      });

      it('is there without any work', async () => {
        await evict('y-1', { graceSeconds: 0 });
        expect(await driver.node(partition, 'n2')).toMatchObject({
          node: { id: 'n2' },
          usage: {},
          inFlight: {},
        });
      });

      it('is undefined where there is none', async () => {
        expect(await driver.node(partition, 'n3')).toBeUndefined();
        expect(await driver.node('elsewhere', 'n1')).toBeUndefined();
      });
    });

    describe('allocations', () => {
      it('are returned by id, in pages, for one queue and below', async () => {
        const first = await driver.allocations({ partition, queue: 'root.a', limit: 2 });
        const second = await driver.allocations({ partition, queue: 'root.a', after: 'x-2', limit: 2 });
        expect([first, second].map((page) => page.map((allocation) => allocation.id))).toEqual([
          ['x-1', 'x-2'],
          ['y-1'],
        ]);
      });

      it('are the same one by one, and undefined where there is none', async () => {
        const [first] = await driver.allocations({ partition, limit: 1 });
        expect(await driver.allocation(partition, 'ab-1')).toEqual(first);
        expect(await driver.allocation(partition, 'absent')).toBeUndefined();
        expect(await driver.allocation('elsewhere', 'ab-1')).toBeUndefined();
      });
    });

    describe('applications', () => {
      it('are returned by id with what runs of them, in pages, for one queue and below', async () => {
        await evict('x-1');
        const first = await driver.applications({ partition, queue: 'root.a', limit: 1 });
        const rest = await driver.applications({
          partition,
          queue: 'root.a',
          after: first[0]!.id,
          limit: 10,
        });
        expect([...first, ...rest]).toMatchObject([
          {
            id: 'app-x',
            queue: 'root.a.x',
            user: 'ada',
            allocations: 2,
            usage: { memory: 3 * GB, vcore: 2000 },
            inFlight: { memory: 1 * GB, vcore: 1000 },
            startedAt: expect.any(Date),
          },
          { id: 'app-y', queue: 'root.a.y', user: 'ada', allocations: 1, inFlight: {} },
        ]);
        const all = await driver.applications({ partition, limit: 10 });
        expect(all.map((application) => application.id)).toEqual(['app-ab', 'app-b', 'app-x', 'app-y']);
      });
    });

    describe('eviction', () => {
      it('lets the owner finish: releasing during the grace period, gone after it', async () => {
        expect(await evict('x-1', { graceSeconds: 10 })).toEqual({ kind: 'accepted', repeated: false });
        await cluster.pass(9);
        expect(await remaining('x-1')).toMatchObject({ state: 'releasing' });
        await cluster.pass(1);
        expect(await driver.allocation(partition, 'x-1')).toBeUndefined();
        const { allocations } = await driver.snapshot({ partition, queue: 'root.a.x' });
        expect(allocations.map((allocation) => allocation.id)).toEqual(['x-2']);
      });

      it('without a grace period is gone at once', async () => {
        expect(await evict('x-1', { graceSeconds: 0 })).toEqual({ kind: 'accepted', repeated: false });
        expect(await driver.allocation(partition, 'x-1')).toBeUndefined();
      });

      it('affects no other allocation', async () => {
        await evict('x-1', { graceSeconds: 0 });
        const { allocations } = await driver.snapshot({ partition });
        expect(allocations.map(({ id, state }) => [id, state])).toEqual([
          ['ab-1', 'running'],
          ['b-1', 'running'],
          ['x-2', 'running'],
          ['y-1', 'running'],
        ]);
      });

      it('sent again is the same kill, and does not start the grace period again', async () => {
        const { uid } = await remaining('x-1');
        expect(await evict('x-1', { uid })).toEqual({ kind: 'accepted', repeated: false });
        await cluster.pass(6);
        expect(await evict('x-1', { uid })).toEqual({ kind: 'accepted', repeated: true });
        expect((await usageOf('root.a.x'))?.inFlight).toEqual({ memory: 1 * GB, vcore: 1000 });
        await cluster.pass(4);
        expect(await driver.allocation(partition, 'x-1')).toBeUndefined();
      });

      it('sent twice at the same time is one kill', async () => {
        const answers = await Promise.all([1, 2, 3, 4].map(() => evict('x-1')));
        expect(answers.filter((answer) => answer.kind === 'accepted' && !answer.repeated)).toHaveLength(1);
        expect(answers.filter((answer) => answer.kind === 'accepted' && answer.repeated)).toHaveLength(3);
      });

      it('of one that is leaving through another kill is accepted as a repeat', async () => {
        await evict('x-1', { evictionId: 'first' });
        expect(await evict('x-1', { evictionId: 'second' })).toEqual({ kind: 'accepted', repeated: true });
      });

      it('knows by its id whether a kill was carried out', async () => {
        await evict('x-1', { evictionId: 'first', graceSeconds: 0 });
        await evict('x-1', { evictionId: 'late' });
        await evict('x-2', { evictionId: 'other', uid: '00000000-0000-4000-8000-000000000000' });
        expect(await driver.carriedOut('first')).toBe(true);
        expect(await driver.carriedOut('late')).toBe(false);
        expect(await driver.carriedOut('other')).toBe(false);
        expect(await driver.carriedOut('never-asked')).toBe(false);
      });

      it('kills the incarnation that it names', async () => {
        const { uid } = await remaining('x-1');
        expect(await evict('x-1', { uid })).toEqual({ kind: 'accepted', repeated: false });
        expect(await remaining('x-1')).toMatchObject({ uid, state: 'releasing' });
      });

      it('spares another incarnation, even when an earlier kill is sent again', async () => {
        const { uid } = await remaining('x-1');
        await evict('x-1', { uid, graceSeconds: 0 });
        await cluster.recreate(partition, byId('x-1'));
        const another = await remaining('x-1');
        expect(another.uid).not.toBe(uid);
        expect(await evict('x-1', { uid })).toEqual({ kind: 'other-incarnation', uid: another.uid });
        expect(await remaining('x-1')).toMatchObject({ uid: another.uid, state: 'running' });
      });

      it('of a missing one is answered with gone', async () => {
        expect(await evict('absent')).toEqual({ kind: 'gone' });
        await evict('x-1', { graceSeconds: 0 });
        expect(await evict('x-1', { evictionId: 'later' })).toEqual({ kind: 'gone' });
      });

      it('that is refused changes nothing, shows whether to ask again, and is accepted later', async () => {
        await cluster.refuse(partition, byId('y-1'), 2);
        for (const _ of [1, 2]) {
          expect(await evict('y-1')).toMatchObject({
            kind: 'refused',
            retryable: true,
            code: expect.any(String),
            message: expect.any(String),
          });
          expect(await remaining('y-1')).toMatchObject({ state: 'running' });
        }
        expect(await evict('y-1')).toEqual({ kind: 'accepted', repeated: false });
      });
    });

    describe('the gate of an eviction', () => {
      const stopped = { code: 'stopped', message: 'User ada stopped evictions in root.a.' };
      const closed: EvictionGate = async (_tx, requests) =>
        new Map(requests.map(({ evictionId }) => [evictionId, stopped]));
      /** Checks that no request was made: the same eviction passes an open gate, as if for the first time. */
      const nothingWasRequested = async () => {
        expect(await remaining('x-1')).toMatchObject({ state: 'running' });
        expect((await usageOf('root.a.x'))?.inFlight).toEqual({});
        expect(await evict('x-1')).toEqual({ kind: 'accepted', repeated: false });
      };

      beforeAll(async () => {
        await cluster.db.query('CREATE TABLE gate_stops (queue text PRIMARY KEY)');
        await cluster.db.query(`
          CREATE TABLE gate_doubts (of text REFERENCES gate_stops DEFERRABLE INITIALLY DEFERRED)`);
      });
      beforeEach(() => cluster.db.query('TRUNCATE gate_stops, gate_doubts'));

      it('receives the request', async () => {
        const asked: EvictionRequest[] = [];
        await evict('x-1', { fencingToken: 7 }, async (_tx, requests) => {
          asked.push(...requests);
          return new Map();
        });
        expect(asked).toMatchObject([{ allocation: 'x-1', evictionId: 'kill-x-1', fencingToken: 7 }]);
      });

      it('withholds the request, which changes nothing', async () => {
        expect(await evict('x-1', {}, closed)).toEqual({ kind: 'withheld', ...stopped });
        await nothingWasRequested();
      });

      it('withholds one of several concurrent requests', async () => {
        const notX: EvictionGate = async (tx, requests) =>
          closed(
            tx,
            requests.filter(({ allocation }) => allocation === 'x-1'),
          );
        const answers = await Promise.all(['b-1', 'x-1', 'x-2'].map((id) => evict(id, {}, notX)));
        expect(answers.map(({ kind }) => kind)).toEqual(['accepted', 'withheld', 'accepted']);
        expect(await remaining('x-1')).toMatchObject({ state: 'running' });
      });

      it('withholds even a request that the cluster would refuse', async () => {
        await cluster.refuse(partition, byId('y-1'), 1);
        expect(await evict('y-1', {}, closed)).toEqual({ kind: 'withheld', ...stopped });
        expect(await evict('y-1')).toMatchObject({ kind: 'refused' });
      });

      it('commits with the request, or neither does', async () => {
        const failsAtCommit: EvictionGate = async (tx) => {
          await tx.query("INSERT INTO gate_doubts VALUES ('unknown')");
          return new Map();
        };
        await expect(evict('x-1', {}, failsAtCommit)).rejects.toThrow('gate_doubts');
        await nothingWasRequested();
      });

      it('that fails prevents the request', async () => {
        const fails: EvictionGate = () => Promise.reject(new Error('the gate is stuck'));
        await expect(evict('x-1', {}, fails)).rejects.toThrow('the gate is stuck');
        await nothingWasRequested();
      });

      it('sees changes that were committed immediately before', async () => {
        const answer = await evict('x-1', {}, async (tx, requests) => {
          await cluster.db.query("INSERT INTO gate_stops VALUES ('root.a')");
          const stops = await tx.query<unknown[]>('SELECT FROM gate_stops');
          return stops.length > 0 ? closed(tx, requests) : new Map();
        });
        expect(answer).toEqual({ kind: 'withheld', ...stopped });
        await nothingWasRequested();
      });
    });
  });
}

/** `root.a-b` begins like `root.a`, but is not below it. */
function work(): ContractWork {
  return {
    nodes: [
      { id: 'n1', capacity: { memory: 64 * GB, vcore: 16_000 }, labels: { zone: 'east' } },
      { id: 'n2', capacity: { memory: 64 * GB, vcore: 16_000, gpu: 2 }, labels: {} },
    ],
    applications: [
      { id: 'app-ab', queue: 'root.a-b', user: 'bob', priority: 0 },
      { id: 'app-b', queue: 'root.b', user: 'bob', priority: 0 },
      {
        id: 'app-x',
        queue: 'root.a.x',
        user: 'ada',
        priority: 3,
        submittedAt: startedAt,
        pending: [{ resources: { memory: 2 * GB }, count: 3 }],
        properties: { tier: 'gold' },
        gang: { minMembers: 2 },
      },
      { id: 'app-y', queue: 'root.a.y', user: 'ada', priority: 0 },
    ],
    allocations,
    budgets: [
      { id: 'web', allowed: 2 },
      { id: 'of-nothing', allowed: 1 },
    ],
  };
}

const startedAt = '2026-11-21T09:00:05.123Z';
const allocations: SnapshotAllocation[] = [
  {
    id: 'ab-1',
    application: 'app-ab',
    queue: 'root.a-b',
    resources: { memory: 5 * GB, vcore: 1000 },
    startedAt,
    // A driver may refuse to evict it.
    protected: true,
  },
  { id: 'b-1', application: 'app-b', queue: 'root.b', resources: { memory: 3 * GB, vcore: 1000 }, startedAt },
  {
    id: 'x-1',
    application: 'app-x',
    queue: 'root.a.x',
    node: 'n1',
    resources: { memory: 1 * GB, vcore: 1000 },
    priority: 7,
    startedAt,
    checkpointedAt: '2026-11-21T09:30:00.000Z',
    budgets: ['web', 'unknown'],
    role: 'originator',
    allowPreemption: false,
  },
  {
    id: 'x-2',
    application: 'app-x',
    queue: 'root.a.x',
    node: 'n1',
    resources: { memory: 2 * GB, vcore: 1000 },
    startedAt,
    role: 'daemon',
    allowPreemption: true,
  },
  {
    id: 'y-1',
    application: 'app-y',
    queue: 'root.a.y',
    node: 'n2',
    resources: { memory: 4 * GB, vcore: 1000, gpu: 1 },
    startedAt,
  },
];

function one<T extends { id: string }>(all: readonly T[], id: string): T {
  const found = all.find((candidate) => candidate.id === id);
  if (found === undefined) throw new Error(`no ${id} in the contract's work`);
  return found;
}

/** Pending work may have additional properties. */
const withoutPending = ({ pending: _, ...application }: SnapshotApplication) => application;
