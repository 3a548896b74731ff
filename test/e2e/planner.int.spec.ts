import { randomUUID } from 'node:crypto';
import { gunzipSync, gzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { openDatabase } from '#event-store';
import { createMigratedDatabase } from '../support/database.js';
import { EmbeddedSystem } from '../support/embedded-system.js';
import { configuration } from '../support/queue-spec.js';
import type { TestPartition } from '../support/test-partition.js';

const twenty = { memory: 20 };

let system: EmbeddedSystem;
beforeAll(async () => {
  system = await EmbeddedSystem.start();
});
afterAll(() => system.stop());

async function enforced(): Promise<TestPartition> {
  const partition = system.partition();
  await partition.run({ queue: 'root.a', count: 5, resources: twenty });
  await partition.configure({ a: { max: { memory: 60 }, delay: '20ms' } });
  await partition.ended('root.a');
  await partition.settled();
  return partition;
}

/** The result at the end of a replay, and the lines before it. */
async function replay(range: object = {}): Promise<{ result: Record<string, unknown>; progress: object[] }> {
  const { status, body } = await system.request<string>(
    'POST',
    '/v1/replays',
    { into: 'digest', ...range },
    'application/x-ndjson',
  );
  expect(status).toBe(200);
  const lines = body
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  return { result: lines.at(-1).result, progress: lines.slice(0, -1) };
}

describe('a run that cannot be planned', () => {
  it('ends as failed, states why, frees its queue, and is followed by another run', async () => {
    const partition = system.partition();
    await partition.run({ queue: 'root.a', count: 5, resources: twenty });
    const queues = { a: { max: { memory: 60 }, delay: '20ms', queues: { b: {} } } };
    const dryRun = await partition.submit(configuration(partition.name, queues), '?dryRun=true');
    expect(dryRun).toMatchObject({
      status: 200,
      body: {
        victims: 0,
        changed: expect.arrayContaining([
          expect.objectContaining({ queue: 'root.a', planFault: expect.stringContaining('root.a') }),
        ]),
      },
    });
    await partition.configure(queues);
    const { data } = await partition.ended('root.a');
    expect(data).toMatchObject({ outcome: 'failed', evicted: 0 });
    const [failed] = await partition.events('PlanFailed');
    expect(failed?.data).toMatchObject({
      code: 'snapshot-unusable',
      message: expect.stringContaining('root.a'),
    });
    expect(data.message).toContain(failed?.data.message ?? 'no message');
    expect(await partition.remaining()).toHaveLength(5);

    const again = await partition.event('EnforcementScheduled', 'root.a', 2);
    expect(again.data).toMatchObject({
      cause: 'retry',
      failures: { count: 1 },
      notices: [{ code: 'retried' }],
    });
    expect((await partition.ended('root.a', 2)).data.message).toContain('in 2 runs');

    await partition.configure({ a: { max: { memory: 60 }, delay: '20ms' } });
    const ended = await system.until('a run that has a plan', async () =>
      (await partition.events('EnforcementEnded')).find(({ data }) => data.outcome !== 'failed'),
    );
    expect(ended.data).toMatchObject({ outcome: 'satisfied', evicted: 2 });
  });
});

describe('an event', () => {
  /** As if a service had written it. @returns its id. */
  async function stray(
    { db }: EmbeddedSystem,
    partition: TestPartition,
    {
      type,
      topic,
      data,
      schemaVersion = 1,
    }: { type: string; topic: string; data: object; schemaVersion?: number },
  ): Promise<string> {
    const id = randomUUID();
    await db.query(
      `INSERT INTO events (stream, version, id, type, schema_version, topic, partition, key, time, data)
       VALUES ($1, 1, $2, $3, $4, $5, $6, 'root.a', now(), $7)`,
      [`stray-${id}`, id, type, schemaVersion, topic, partition.name, data],
    );
    return id;
  }

  it('that breaks its schema is put aside, with the reason, and its neighbours are handled', async () => {
    const partition = system.partition();
    await partition.run({ queue: 'root.a', count: 5, resources: twenty });
    const type = 'io.curtail.quota.changed.v1';
    const id = await stray(system, partition, { type, topic: 'curtail.quota', data: { queue: 5 } });
    await partition.configure({ a: { max: { memory: 60 }, delay: '20ms' } });
    expect((await partition.ended('root.a')).data.outcome).toBe('satisfied');
    await partition.settled();
    const letters = await system.db.query<{ consumer: string; reason: string }[]>(
      'SELECT consumer, reason FROM dead_letters WHERE event_id = $1 ORDER BY consumer',
      [id],
    );
    expect(letters.map(({ consumer }) => consumer)).toEqual(expect.arrayContaining(['console', 'timer']));
    for (const { reason } of letters) expect(reason).toContain(type);
  });

  it('of a newer release waits with all that follows, is named by /readyz, and is handled once it is known', async () => {
    const database = await createMigratedDatabase();
    const older = await EmbeddedSystem.start({}, database);
    const before = older.partition();
    await before.run({ queue: 'root.a', count: 5, resources: twenty });
    const type = 'io.curtail.killswitch.cleared.v1';
    const data = { partition: before.name, queue: 'root.z', by: 'ada' };
    const id = await stray(older, before, { type, topic: 'curtail.control', data, schemaVersion: 9 });
    const { waits } = await older.until('the wait to be shown', async () => {
      const ready = await older.get<{ status: string; waits?: string[] }>('/readyz');
      return ready.waits?.some((one) => one.startsWith('timer')) && ready;
    });
    expect(waits).toContain(`timer at the log: ${type} in version 9`);
    await before.configure({ a: { max: { memory: 60 }, delay: '20ms' } });
    await older.stop();
    const outside = await openDatabase(database.url);
    expect(await outside.query('SELECT 1 FROM dead_letters')).toEqual([]);
    expect(await outside.query('SELECT 1 FROM inbox WHERE event_id = $1', [id])).toEqual([]);
    // No process of this build knows version 9, so the event becomes one of version 1.
    await outside.query('UPDATE events SET schema_version = 1 WHERE id = $1', [id]);
    await outside.destroy();

    const newer = await EmbeddedSystem.start({}, database);
    try {
      const after = newer.partition();
      expect((await after.ended('root.a')).data).toMatchObject({ outcome: 'satisfied', evicted: 2 });
      expect(await newer.get('/readyz')).toEqual({ status: 'ok' });
    } finally {
      await newer.stop();
      await database.drop();
    }
  });
});

describe('with a driver that must not be asked to evict', () => {
  let asked = 0;
  let carryOut: EmbeddedSystem['cluster']['evict'];
  beforeEach(() => {
    carryOut = system.cluster.evict;
  });
  afterEach(() => {
    system.cluster.evict = carryOut;
  });
  const bomb = () => {
    asked = 0;
    system.cluster.evict = async () => {
      asked++;
      throw new Error('no one may be evicted');
    };
  };

  it('what-if, dry run, explanations, replay and an observed run work and evict no one', async () => {
    const partition = await enforced();
    const [ended] = await partition.events('EnforcementEnded');
    const remaining = await partition.remaining();
    bomb();
    const dryRun = await partition.submit(
      configuration(partition.name, { a: { max: { memory: 20 }, delay: '20ms' } }),
      '?dryRun=true',
    );
    expect(dryRun.body).toMatchObject({ victims: 2 });
    const snapshot = await system.cluster.snapshot({ partition: partition.name });
    const whatIf = await system.request('POST', '/v1/plans/preview', {
      snapshot: { ...snapshot, queues: [{ path: 'root' }, { path: 'root.a', max: { memory: 20 } }] },
      trigger: { policy: 'quota-decrease', queue: 'root.a' },
    });
    expect(whatIf.body).toMatchObject({ victims: [{ allocation: 'a-3' }, { allocation: 'a-2' }] });
    const at = `?partition=${partition.name}`;
    await system.get(`/v1/enforcements/${ended?.data.enforcement}/explanation`);
    await system.get(`/v1/allocations/a-1/explanation${at}`);
    await system.get(`/v1/queues/root.a/explanation${at}`);
    expect((await replay()).result).toMatchObject({ different: [] });

    await partition.setMode('observe');
    await partition.configure({ a: { max: { memory: 20 }, delay: '20ms' } });
    expect((await partition.ended('root.a', 2)).data.outcome).toBe('observed');
    await partition.settled();
    expect(asked).toBe(0);
    expect(await partition.remaining()).toEqual(remaining);
  });

  it('a run that enforces asks it: the bomb is live', async () => {
    const partition = system.partition();
    bomb();
    await partition.run({ queue: 'root.a', count: 5, resources: twenty });
    await partition.configure({ a: { max: { memory: 60 }, delay: '20ms' } });
    await system.until('the driver to be asked', async () => asked > 0);
    await system.request('POST', '/v1/kill-switch', { partition: partition.name });
    expect((await partition.ended('root.a')).data).toMatchObject({ outcome: 'stopped', evicted: 0 });
  });
});

describe('a replay', () => {
  it('makes every plan of the log again, page after page, and finds them the same', async () => {
    const partition = await enforced();
    const from = (await partition.events('PlanComputed'))[0]?.time.toISOString();
    // So many that positions get another digit on the way: they are numbers, not texts.
    await system.db.query(
      `INSERT INTO events (stream, version, id, type, topic, partition, key, time, data)
       SELECT stream || '-copy-' || n, 1, gen_random_uuid(), type, 'copies', partition, key, time, data
       FROM events, generate_series(1, 1000) AS n
       WHERE type = 'io.curtail.plan.computed.v1' AND partition = $1`,
      [partition.name],
    );
    const { result, progress } = await replay({ from });
    expect(result).toEqual({ plans: 1001, same: 1001, different: [], notKept: 0 });
    expect(progress.at(-1)).toMatchObject({ done: 1001, of: 1001 });
    expect((await replay({ to: '2020-01-01T00:00:00Z' })).result).toMatchObject({ plans: 0 });
  });

  it('reports a plan that comes out differently, and an input that was tampered with or is not kept', async () => {
    const [one, two, three] = [await enforced(), await enforced(), await enforced()];
    const from = (await one.events('PlanComputed'))[0]?.time.toISOString();
    const planOf = async (partition: TestPartition) => (await partition.events('PlanComputed'))[0]!.data;

    await system.db.query(
      `UPDATE events SET data = jsonb_set(data::jsonb, '{settings}', '{"miss": 100}')::json
       WHERE type = 'io.curtail.plan.computed.v1' AND partition = $1`,
      [one.name],
    );
    const { snapshotDigest } = await planOf(two);
    const [{ body }] = await system.db.query<[{ body: Buffer }]>(
      'SELECT body FROM snapshots WHERE digest = $1',
      [snapshotDigest],
    );
    const tampered = gunzipSync(body).toString().replace('"a-5"', '"a-9"');
    await system.db.query('UPDATE snapshots SET body = $2 WHERE digest = $1', [
      snapshotDigest,
      gzipSync(tampered),
    ]);
    await system.db.query('DELETE FROM snapshots WHERE digest = $1', [(await planOf(three)).snapshotDigest]);

    const { result } = await replay({ from });
    expect(result).toEqual({
      plans: 3,
      same: 0,
      notKept: 1,
      different: [
        {
          enforcement: (await planOf(one)).enforcement,
          queue: 'root.a',
          recorded: expect.any(String),
          replayed: expect.any(String),
        },
        {
          enforcement: (await planOf(two)).enforcement,
          queue: 'root.a',
          recorded: expect.any(String),
          replayed: null,
          because: expect.stringContaining(snapshotDigest),
        },
      ],
    });
    expect(await system.get(`/v1/enforcements/${(await planOf(two)).enforcement}/explanation`)).toMatchObject(
      { replayable: false, plan: { victims: [{}, {}] } },
    );
  });
});
