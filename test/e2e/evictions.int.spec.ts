import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { ClusterDriver, EvictionAnswer, EvictionRequest, SimulatedCluster } from '#clusters';
import { EmbeddedSystem } from '../support/embedded-system.js';
import type { TestPartition } from '../support/test-partition.js';

const twenty = { memory: 20 };

let system: EmbeddedSystem;
let carryOut: SimulatedCluster['evict'];
beforeAll(async () => {
  system = await EmbeddedSystem.start({ tries: 3 });
  carryOut = system.cluster.evict.bind(system.cluster);
});
afterEach(() => {
  system.cluster.evict = carryOut;
});
afterAll(() => system.stop());

async function lower(max: number, refuseEvictions?: number | 'always'): Promise<TestPartition> {
  const partition = system.partition();
  await partition.run({
    queue: 'root.a',
    count: 5,
    resources: twenty,
    ...(refuseEvictions === undefined ? {} : { properties: { refuseEvictions } }),
  });
  await partition.configure({ a: { max: { memory: max }, delay: '20ms' } });
  return partition;
}

describe('an eviction', () => {
  it('that the cluster refuses for the moment is tried again after a pause that grows', async () => {
    const partition = await lower(80, 2);
    expect((await partition.ended('root.a')).data).toMatchObject({ outcome: 'satisfied', evicted: 1 });
    const orders = await partition.events('VictimOrdered');
    expect(orders.map(({ data }) => data.attempt)).toEqual([1, 2, 3]);
    // Each attempt after a refusal is another eviction.
    const { enforcement, rank } = orders[0]!.data;
    expect(orders.map(({ data }) => data.evictionId)).toEqual(
      [1, 2, 3].map((attempt) => `${enforcement}-${rank}-${attempt}`),
    );
    const refusals = await partition.events('VictimRefused');
    expect(refusals.map(({ data }) => data.code)).toEqual(['budget', 'budget']);
    const pauses = refusals.map(({ data, time }, i) => {
      const next = Date.parse(orders[i + 1]?.data.orderedAt ?? '');
      expect(next).toBeGreaterThanOrEqual(Date.parse(data.retryAt ?? ''));
      return Date.parse(data.retryAt ?? '') - time.getTime();
    });
    expect(pauses[1]).toBeGreaterThan(pauses[0] ?? Number.NaN);
  });

  it('names the moment of its snapshot, the quota and what has to remain', async () => {
    const { cluster } = system;
    const asked: EvictionRequest[] = [];
    const { evict } = cluster;
    cluster.evict = (request, gate) => {
      asked.push(request);
      return evict.call(cluster, request, gate);
    };
    try {
      const partition = system.partition();
      await partition.run({ queue: 'root.a.b', count: 5, resources: twenty });
      const child = { b: { guaranteed: { memory: 30 } } };
      const queue = { max: { memory: 80 }, guaranteed: { memory: 40 }, delay: '20ms', queues: child };
      await partition.configure({ a: queue });
      await partition.ended('root.a');
      const [planned] = await partition.events('PlanComputed');
      expect(asked.map(({ basis }) => basis)).toEqual([
        {
          takenAt: planned?.data.takenAt,
          quota: { queue: 'root.a', max: { memory: 80 } },
          floors: [
            { queue: 'root.a', guaranteed: { memory: 40 } },
            { queue: 'root.a.b', guaranteed: { memory: 30 } },
          ],
        },
      ]);
    } finally {
      cluster.evict = evict;
    }
  });

  it('that the cluster refuses for good has failed; the queue is free again', async () => {
    const partition = await lower(60, 'always');
    expect((await partition.ended('root.a')).data).toMatchObject({
      outcome: 'failed',
      evicted: 0,
      failed: 2,
      shortfall: { memory: 40 },
    });
    expect((await partition.events('VictimRefused')).map(({ data }) => data.retryAt)).toEqual([
      undefined,
      undefined,
    ]);
    expect(await partition.remaining()).toHaveLength(5);
  });

  it('whose answer is lost is found carried out, and is one kill', async () => {
    const sent: EvictionRequest[] = [];
    system.cluster.evict = async (request, gate) => {
      sent.push(request);
      await carryOut(request, gate);
      throw new Error('socket hang up');
    };
    const partition = await lower(80);
    expect((await partition.ended('root.a')).data).toMatchObject({ outcome: 'satisfied', evicted: 1 });
    expect(
      (await partition.events('VictimEvicted')).map(({ data }) => [data.allocation, data.recovered]),
    ).toEqual([['a-5', true]]);
    expect(await partition.events('VictimOrdered')).toHaveLength(1);
    expect(sent.map(({ allocation }) => allocation)).toEqual(['a-5']);
    expect(await partition.remaining()).toHaveLength(4);
  });

  it('that never reached the cluster is sent again under the same id', async () => {
    const sent: EvictionRequest[] = [];
    system.cluster.evict = async (request, gate) => {
      sent.push(request);
      if (sent.length === 1) throw new Error('connection refused');
      return carryOut(request, gate);
    };
    const partition = await lower(80);
    expect((await partition.ended('root.a')).data).toMatchObject({ outcome: 'satisfied', evicted: 1 });
    expect(sent).toHaveLength(2);
    expect(sent[1]).toEqual(sent[0]);
    expect(await partition.events('VictimOrdered')).toHaveLength(1);
    expect(await partition.remaining()).toHaveLength(4);
  });

  it('that the platform never answers keeps no one else waiting, and fails after the last attempt', async () => {
    const { cluster } = system;
    const silent: string[] = [];
    const asked: string[] = [];
    const driver: ClusterDriver = cluster;
    cluster.evict = async (request, gate) => {
      asked.push(request.allocation);
      if (request.allocation !== 'a-5') return carryOut(request, gate);
      silent.push(request.evictionId);
      throw new Error('the platform has not answered');
    };
    const { carriedOut } = cluster;
    driver.carriedOut = async (id) => (silent.includes(id) ? undefined : carriedOut.call(cluster, id));
    driver.unanswered = async (id) =>
      silent.includes(id) ? `the platform has not answered ${id} within 30 s` : undefined;
    try {
      const partition = await lower(40);
      expect((await partition.ended('root.a')).data).toMatchObject({ evicted: 2, failed: 1 });
      expect(asked.slice(0, 3)).toEqual(['a-5', 'a-4', 'a-3']);
      const [failed] = await partition.events('VictimFailed');
      expect(failed?.data).toMatchObject({ allocation: 'a-5', code: 'no-answer' });
      const attempts = (await partition.events('VictimOrdered')).filter(
        ({ data }) => data.allocation === 'a-5',
      );
      expect(attempts.map(({ data }) => data.evictionId)).toEqual(silent);
      expect(new Set(silent).size).toBe(silent.length);
      expect(await partition.remaining()).toEqual(['a-1', 'a-2', 'a-5']);
    } finally {
      cluster.carriedOut = carriedOut;
      delete driver.unanswered;
    }
  });

  it('names the incarnation that was planned, the grace, and the reason that is on record', async () => {
    const sent: EvictionRequest[] = [];
    system.cluster.evict = async (request, gate) => {
      sent.push(request);
      return carryOut(request, gate);
    };
    const partition = system.partition();
    await partition.run({ queue: 'root.a', count: 5, resources: twenty });
    const before = await partition.allocation('a-5');
    await partition.configure({ a: { max: { memory: 80 }, delay: '20ms' } });
    await partition.ended('root.a');
    const [evicted] = await partition.events('VictimEvicted');
    const [started] = await partition.events('EnforcementStarted');
    expect(sent).toEqual([
      {
        partition: partition.name,
        allocation: 'a-5',
        uid: before?.uid,
        graceSeconds: 0,
        evictionId: evicted?.data.evictionId,
        fencingToken: started?.data.fencingToken,
        reason: evicted?.data.reason,
        basis: { takenAt: expect.any(String), quota: { queue: 'root.a', max: { memory: 80 } } },
      },
    ]);
  });
});

describe('a command of an operator while a kill is in progress', () => {
  const runOf = (partition: TestPartition) => async () => {
    const [opened] = await partition.events('EnforcementOpened');
    const path = `/v1/enforcements/${opened?.data.enforcement}/cancel`;
    return (await system.request('POST', path, { by: 'ada' })).status === 200;
  };

  it.each([
    ['a cancellation', 'cancelled', (p: TestPartition) => system.until('the cancellation', runOf(p))],
    [
      'the kill switch',
      'stopped',
      (p: TestPartition) => system.request('POST', '/v1/kill-switch', { partition: p.name }),
    ],
    [
      'the mode',
      'stopped',
      (p: TestPartition) => system.request('PUT', `/v1/partitions/${p.name}/mode`, { mode: 'observe' }),
    ],
  ])('holds for those that are ordered and not requested yet: %s', async (_what, outcome, command) => {
    const partition = system.partition();
    const kinds: string[] = [];
    let first: Promise<EvictionAnswer> | undefined;
    let saying: Promise<unknown> | undefined;
    system.cluster.evict = async (request, gate) => {
      if (!first) first = carryOut(request, gate);
      else {
        saying ??= first.then(async () => {
          await command(partition);
        });
        await saying;
      }
      const answer = saying ? await carryOut(request, gate) : await first;
      kinds.push(answer.kind);
      return answer;
    };
    await partition.run({ queue: 'root.a', count: 5, resources: twenty });
    await partition.configure({ a: { max: { memory: 20 }, delay: '20ms' } });
    expect((await partition.ended('root.a')).data).toMatchObject({ outcome, evicted: 1, spared: 3 });
    expect(kinds).toEqual(['accepted', 'withheld', 'withheld', 'withheld']);
    expect(await partition.remaining()).toHaveLength(4);
  });

  it('lets the kill continue under the same id when it is revoked at once', async () => {
    const partition = system.partition();
    const sent: [id: string, answer: string][] = [];
    system.cluster.evict = async (request, gate) => {
      const isFirst = sent.length === 0;
      if (isFirst) await system.request('POST', '/v1/kill-switch', { partition: partition.name });
      const answer = await carryOut(request, gate);
      if (isFirst) await system.request('DELETE', `/v1/kill-switch?partition=${partition.name}`);
      sent.push([request.evictionId, answer.kind]);
      return answer;
    };
    await partition.run({ queue: 'root.a', count: 5, resources: twenty });
    await partition.configure({ a: { max: { memory: 80 }, delay: '20ms' } });
    expect((await partition.ended('root.a')).data).toMatchObject({ outcome: 'satisfied', evicted: 1 });
    const [[id] = []] = sent;
    expect(sent).toEqual([
      [id, 'withheld'],
      [id, 'accepted'],
    ]);
  });
});

describe('a run whose lease is over because the clock went ahead', () => {
  it('continues, since its executor renews it in time', async () => {
    const jumped = await EmbeddedSystem.start({ leaseSeconds: 20, approveAboveVictims: 0 });
    const partition = jumped.partition();
    await partition.run({ queue: 'root.a', count: 5, resources: twenty });
    await partition.configure({ a: { max: { memory: 60 }, delay: '20ms' } });
    const { data } = await partition.event('EnforcementOpened', 'root.a');
    await partition.handled();

    await jumped.db.query("UPDATE clocks SET lease_until = now() - interval '1 hour'");
    await jumped.until('the lease to be renewed, or given up', async () => {
      const rows = await jumped.db.query('SELECT 1 FROM clocks WHERE lease_until < now()');
      return rows.length === 0;
    });
    await jumped.request('POST', `/v1/enforcements/${data.enforcement}/approve`, {});
    expect((await partition.ended('root.a')).data).toMatchObject({ outcome: 'satisfied', evicted: 2 });
    await jumped.stop();
  });
});

describe('a run whose own record is damaged', () => {
  it('loses its lock, so that its queue is free again', async () => {
    const own = await EmbeddedSystem.start({ leaseSeconds: 1, approveAboveVictims: 0 });
    const partition = own.partition();
    await partition.run({ queue: 'root.a', count: 5, resources: twenty });
    await partition.configure({ a: { max: { memory: 60 }, delay: '20ms' } });
    const { data } = await partition.event('EnforcementOpened', 'root.a');
    await partition.handled();
    await own.db.query(
      `INSERT INTO events (stream, version, id, type, topic, partition, key, time, data)
       SELECT stream, version + 1, gen_random_uuid(), type, topic, partition, key, time, data FROM events
       WHERE stream = $1`,
      [`execution-${data.enforcement}`],
    );
    await own.request('POST', `/v1/enforcements/${data.enforcement}/approve`, {});
    expect((await partition.event('EnforcementReleased', 'root.a')).data.cause).toBe('lease-ended');
    expect(await partition.remaining()).toHaveLength(5);
    // No one counts its victims as leaving any more.
    expect(await own.db.query('SELECT * FROM planned_victims')).toEqual([]);
    await own.stop();
  });
});

describe('a run whose executor gives no sign of life', () => {
  it('loses its lock, evicts no one any more, and the next run has a larger token', async () => {
    const slow = await EmbeddedSystem.start({ leaseSeconds: 4, approveAboveVictims: 0 });
    slow.silenceExecutor();
    const partition = slow.partition();
    await partition.run({ queue: 'root.a', count: 5, resources: twenty });
    await partition.configure({ a: { max: { memory: 60 }, delay: '20ms' } });
    const first = await partition.event('EnforcementOpened', 'root.a');
    const released = await partition.event('EnforcementReleased', 'root.a');
    expect(released.data).toMatchObject({
      cause: 'lease-ended',
      enforcement: first.data.enforcement,
      notices: [{ code: 'lease-ended' }],
    });
    const ended = await partition.event('EnforcementEnded', 'root.a');
    expect(ended.data).toMatchObject({ outcome: 'fenced', evicted: 0, spared: 2 });
    expect(await partition.remaining()).toHaveLength(5);

    await partition.configure({ a: { max: { memory: 40 }, delay: '20ms' } });
    const second = await partition.event('EnforcementStarted', 'root.a', 2);
    expect(second.data.fencingToken).toBeGreaterThan(first.data.fencingToken);
    await slow.stop();
  });
});
