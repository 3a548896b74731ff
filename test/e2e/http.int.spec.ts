import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { topics } from '#contracts/events';
import { createMigratedDatabase } from '../support/database.js';
import { EmbeddedSystem } from '../support/embedded-system.js';
import { heldTransaction } from '../support/held-transaction.js';
import { TcpProxy } from '../support/tcp-proxy.js';
import type { TestPartition } from '../support/test-partition.js';

const twenty = { memory: 20 };

let system: EmbeddedSystem;
beforeAll(async () => {
  system = await EmbeddedSystem.start();
});
afterAll(() => system.stop());

/** All items of a list, read in pages of `limit`. */
async function paged(
  path: string,
  limit: number,
): Promise<{ items: Record<string, unknown>[]; pages: number }> {
  const items: Record<string, unknown>[] = [];
  let after = '';
  for (let pages = 1; ; pages++) {
    const page = await system.get<{ items: Record<string, unknown>[]; next?: string }>(
      `${path}&limit=${limit}${after}`,
    );
    items.push(...page.items);
    if (page.next === undefined || pages > 50) return { items, pages };
    after = `&after=${encodeURIComponent(page.next)}`;
  }
}

describe('the lists', () => {
  let partition: TestPartition;
  let at: string;
  const names = ['a', 'b', 'c', 'd', 'e'];
  beforeAll(async () => {
    partition = system.partition();
    at = `?partition=${partition.name}`;
    await partition.run(...names.map((name) => ({ queue: `root.${name}`, count: 3, resources: twenty })));
    const queues = (max: number, delay: string) =>
      Object.fromEntries(names.map((name) => [name, { max: { memory: max }, delay }]));
    await partition.configure(queues(40, '20ms'));
    for (const name of names) await partition.ended(`root.${name}`);
    await partition.configure(queues(20, '3600'));
    for (const name of names) await partition.event('EnforcementScheduled', `root.${name}`, 2);
    await partition.handled();
  });

  it('plans come with the latest first, page by page, also when their numbers get a digit more', async () => {
    const many = system.partition();
    const queues = Array.from({ length: 12 }, (_, i) => `q${i}`);
    await many.run(...queues.map((name) => ({ queue: `root.${name}`, count: 3, resources: twenty })));
    await many.configure(
      Object.fromEntries(queues.map((name) => [name, { max: { memory: 40 }, delay: '20ms' }])),
    );
    for (const name of queues) await many.ended(`root.${name}`);
    const { items, pages } = await paged(`/v1/plans?partition=${many.name}`, 5);
    expect([items.length, pages]).toEqual([12, 3]);
    const times = items.map(({ computedAt }) => String(computedAt));
    expect(times).toEqual([...times].sort().reverse());
  });

  it.each([
    ['queues', 2, 6, 'queue'],
    ['timers', 2, 5, 'queue'],
    ['enforcements', 3, 10, 'enforcement'],
    ['plans', 2, 5, 'enforcement'],
    ['events', 7, undefined, 'position'],
    ['notices', 3, undefined, 'at'],
    ['allocations', 4, 10, 'id'],
    ['applications', 2, 5, 'id'],
  ])('%s come in pages that together are the whole list', async (list, limit, count, key) => {
    const whole = await paged(`/v1/${list}${at}`, 1000);
    const { items, pages } = await paged(`/v1/${list}${at}`, limit);
    expect(items).toEqual(whole.items);
    expect(pages).toBeGreaterThan(1);
    if (count !== undefined) {
      expect(items).toHaveLength(count);
      expect(new Set(items.map((item) => item[key])).size).toBe(count);
    }
  });

  it('events are the latest first', async () => {
    const { items } = await paged(`/v1/events${at}`, 1000);
    const positions = items.map(({ position }) => Number(position));
    expect(positions).toEqual([...positions].sort((a, b) => b - a));
    expect(items.length).toBeGreaterThan(20);
  });

  it.each(['queues', 'timers', 'enforcements', 'events', 'notices', 'allocations'])(
    '%s of one queue are only those of it and below',
    async (list) => {
      const { items } = await system.get<{ items: { queue: string; kind?: string; name?: string }[] }>(
        `/v1/${list}${at}&queue=root.b`,
      );
      // A notice about a queue belongs to it, whatever its source.
      const queues = new Set(items.map(({ queue, kind, name }) => (kind === 'queue' ? name : queue)));
      // Of notices there are those of the configuration, and on a busy machine some of late runs.
      if (list === 'notices') queues.add('root.b');
      expect(queues).toEqual(new Set(['root.b']));
      expect(await system.get(`/v1/${list}${at}&queue=root.nowhere`)).toEqual({ items: [] });
    },
  );

  it.each(['queues', 'timers', 'enforcements', 'plans', 'events', 'notices', 'allocations', 'applications'])(
    '%s do not depend on the case of names, as commands do not',
    async (list) => {
      const written = `?partition=${partition.name.toUpperCase()}&queue=Root.B`;
      expect(await system.get(`/v1/${list}${written}`)).toEqual(
        await system.get(`/v1/${list}${at}&queue=root.b`),
      );
    },
  );

  it.each([
    ['', { queue: 'root.b' }],
    ['/explanation', { queue: { queue: 'root.b' }, configured: true }],
    ['/history', { queue: 'root.b' }],
  ])('a queue%s is found whatever the case of its name', async (part, found) => {
    const written = `/v1/queues/ROOT.B${part}?partition=${partition.name.toUpperCase()}`;
    expect(await system.get(written)).toMatchObject(found);
  });

  it('enforcements and events begin where they are asked to', async () => {
    const since = '2100-01-01T00:00:00Z';
    expect(await system.get(`/v1/enforcements${at}&since=${since}`)).toEqual({ items: [] });
    expect(await system.get(`/v1/events${at}&since=${since}`)).toEqual({ items: [] });
  });

  it.each([
    ['limit=0', 'query.limit'],
    ['limit=1001', 'query.limit'],
    ['limit=ten', 'query.limit'],
    ['since=yesterday', 'query.since'],
    ['partition=', 'query.partition'],
    ['qeue=root.a', 'query.qeue'],
    ['limit=1&limit=2', 'query.limit'],
  ])('refuse %s and name the parameter', async (parameter, path) => {
    for (const list of ['queues', 'timers', 'enforcements', 'events', 'notices', 'allocations']) {
      expect(await system.refused('GET', `/v1/${list}?${parameter}`)).toMatchObject({ status: 400, path });
    }
  });

  it.each(['timers', 'enforcements', 'events', 'notices'])('%s refuse a place that is none', async (list) => {
    expect(await system.refused('GET', `/v1/${list}${at}&after=here`)).toMatchObject({
      status: 400,
      path: 'query.after',
    });
  });
});

describe('what is not there', () => {
  it.each([
    ['/v1/queues/root.nowhere', 'curtail get queues'],
    ['/v1/queues/root.nowhere/explanation', 'curtail get queues'],
    ['/v1/queues/root?partition=nowhere', 'curtail get partitions'],
    ['/v1/enforcements/e-none', 'curtail get enforcements'],
    ['/v1/enforcements/e-none/explanation', 'curtail get enforcements'],
    ['/v1/plans/e-none', 'curtail get enforcements'],
    ['/v1/allocations/none', 'curtail get allocations'],
    ['/v1/partitions/nowhere/config', 'curtail get partitions'],
  ])('%s is answered with 404 and the next step', async (path, next) => {
    const problem = await system.refused('GET', path);
    expect(problem.status).toBe(404);
    expect(`${problem.detail} ${problem.remedy ?? ''}`).toContain(next);
  });

  it.each(['approve', 'reject', 'cancel'])('a run that is not there has no command to %s', async (what) => {
    const problem = await system.refused('POST', `/v1/enforcements/e-none/${what}`);
    expect(problem).toMatchObject({ status: 404, remedy: expect.stringContaining('curtail get') });
  });
});

describe('bad requests of operators', () => {
  it.each([
    ['a mode that is none', 'PUT', '/v1/partitions/default/mode', { mode: 'off' }, 'mode'],
    ['a partition without a name', 'POST', '/v1/kill-switch', { partition: '' }, 'partition'],
    ['a very long reason', 'POST', '/v1/kill-switch', { reason: 'x'.repeat(2001) }, 'reason'],
    ['a replay into the cluster', 'POST', '/v1/replays', { into: 'cluster' }, 'into'],
    ['a replay from no time', 'POST', '/v1/replays', { into: 'digest', from: 'today' }, 'from'],
    [
      'projections of a part',
      'POST',
      '/v1/replays',
      { into: 'projections', to: '2026-11-21T10:00:00Z' },
      'to',
    ],
    ['a shadow of nothing', 'POST', '/v1/replays', { into: 'shadow' }, 'settings'],
    [
      'a shadow with a typo',
      'POST',
      '/v1/replays',
      { into: 'shadow', settings: { fitt: 1 } },
      'settings.fitt',
    ],
    ['digests with settings', 'POST', '/v1/replays', { into: 'digest', settings: { miss: 1 } }, 'settings'],
    ['a republication of no topic', 'POST', '/v1/republications', { topic: 'plans' }, 'topic'],
    ['orders to evict again', 'POST', '/v1/republications', { topic: topics.evictionRequests }, 'topic'],
  ])('%s is refused with the field', async (_what, method, path, body, field) => {
    expect(await system.refused(method, path, body)).toMatchObject({ status: 400, path: field });
  });

  it('without Kafka, nothing is put on it again', async () => {
    expect(await system.refused('POST', '/v1/republications', { topic: topics.plans })).toMatchObject({
      status: 409,
      type: 'urn:curtail:problem:no-kafka',
      remedy: expect.stringContaining('KAFKA_BROKERS'),
    });
  });

  it('a replay that is none is not found, nor stopped', async () => {
    for (const method of ['GET', 'DELETE']) {
      expect(await system.refused(method, '/v1/replays/r-0')).toMatchObject({ status: 404 });
    }
    await system.request('POST', '/v1/replays', { into: 'projections' });
    const { items } = await system.get<{ items: { replay: string; state: string }[] }>('/v1/replays?limit=1');
    expect(items).toEqual([expect.objectContaining({ into: 'projections', state: 'done' })]);
    const { body } = await system.request('DELETE', `/v1/replays/${items[0]?.replay}`);
    expect(body).toMatchObject({ stopping: false, was: 'done' });
  });

  it.each([
    ['root.A', true],
    ['root.aa', false],
  ])(
    'a stop of %s holds in lower case, and states whether that is configured: %s',
    async (queue, configured) => {
      const partition = system.partition();
      await partition.configure({ a: { max: { memory: 10 } } });
      const { body } = await system.request('POST', '/v1/kill-switch', {
        partition: partition.name.toUpperCase(),
        queue,
        allowUnknown: !configured,
      });
      const held = { partition: partition.name, queue: queue.toLowerCase() };
      expect(body).toEqual({ ...held, stopped: true, configured });
      expect((await system.get<{ items: object[] }>('/v1/kill-switch')).items).toContainEqual(
        expect.objectContaining(held),
      );
    },
  );

  it.each([
    ['nothing', undefined, 400],
    ['an empty object', {}, 400],
    ['broken YAML', 'partitions: [', 422],
  ])('a configuration of %s is refused', async (_what, body, status) => {
    expect((await system.refused('PUT', '/v1/partitions/default/config', body)).status).toBe(status);
  });

  it('a configuration in a format that is none is refused', async () => {
    const problem = await system.refused('PUT', '/v1/partitions/default/config?format=toml', 'a = 1');
    expect(problem).toMatchObject({ status: 400, detail: expect.stringContaining('capacity-scheduler') });
  });
});

describe('what-if', () => {
  const allocation = (over: object = {}) => ({
    id: 'a-1',
    application: 'app',
    queue: 'root.a',
    resources: { memory: 10 },
    startedAt: '2026-01-01T00:00:00Z',
    ...over,
  });
  const input = (over: object = {}) => ({
    snapshot: {
      apiVersion: 'curtail/v1',
      kind: 'ClusterSnapshot',
      takenAt: '2026-01-01T00:00:00Z',
      partition: 'default',
      queues: [{ path: 'root' }, { path: 'root.a', max: { memory: 5 } }],
      applications: [{ id: 'app', queue: 'root.a' }],
      allocations: [allocation()],
      ...over,
    },
    trigger: { policy: 'quota-decrease', queue: 'root.a' },
  });

  it('answers with the plan', async () => {
    const { status, body } = await system.request('POST', '/v1/plans/preview', input());
    expect(status).toBe(200);
    expect(body).toMatchObject({ kind: 'Plan', victims: [{ allocation: 'a-1' }] });
  });

  it.each([
    [
      'an amount above 2^53',
      input({ allocations: [allocation({ resources: { memory: 2 ** 53 } })] }),
      'allocations[0].resources.memory',
    ],
    [
      'a usage above 2^53',
      input({
        allocations: [
          allocation({ resources: { memory: 2 ** 53 - 1 } }),
          allocation({ id: 'a-2', resources: { memory: 2 ** 53 - 1 } }),
        ],
      }),
      'allocations',
    ],
    ['an id twice', input({ allocations: [allocation(), allocation()] }), 'allocations[1].id'],
    ['a queue without its parent', input({ queues: [{ path: 'root' }, { path: 'root.x.a' }] }), 'queues[1]'],
    ['an unknown queue', input({ allocations: [allocation({ queue: 'root.b' })] }), 'allocations[0].queue'],
    [
      'a queue to plan for that is not there',
      { ...input(), trigger: { policy: 'quota-decrease', queue: 'root.z' } },
      'trigger.queue',
    ],
    ['an unknown setting', { ...input(), settings: { mis: 5 } }, 'settings.mis'],
    ['no snapshot', { trigger: input().trigger }, 'snapshot'],
    ['no policy', { trigger: {} }, 'trigger.policy'],
    ['a list', [], ''],
  ])('refuses %s and names the field', async (_what, body, path) => {
    const problem = await system.refused('POST', '/v1/plans/preview', body);
    expect(problem.status).toBe(400);
    expect(String(problem.path)).toContain(path);
  });
});

describe('metrics', () => {
  it('count runs, victims and notices, and report the lateness, the lag and the clocks', async () => {
    const partition = system.partition();
    await partition.run(
      { queue: 'root.a', count: 5, resources: twenty },
      { queue: 'root.b', count: 5, resources: twenty, properties: { refuseEvictions: 'always' } },
    );
    await partition.configure({
      a: { max: { memory: 61 }, delay: '20ms' },
      b: { max: { memory: 80 }, delay: '20ms' },
      c: { max: { memory: 80 }, delay: '1h' },
    });
    await partition.ended('root.a');
    await partition.ended('root.b');
    const text = await system.until('the metrics to show it', async () => {
      const now = await system.get<unknown>('/metrics');
      return (
        /curtail_timers_pending [1-9]/.test(String(now)) &&
        /outcome="failed"} \d/.test(String(now)) &&
        ['planner', 'timer', 'executor'].every((name) =>
          String(now).includes(`curtail_consumer_lag_events{consumer="${name}"} 0\n`),
        ) &&
        String(now)
      );
    });
    for (const line of [
      /^curtail_enforcements_total\{policy="quota-decrease",outcome="satisfied"\} [1-9]/m,
      /^curtail_enforcements_total\{policy="quota-decrease",outcome="failed"\} 1$/m,
      /^curtail_victims_total\{outcome="evicted"\} [1-9]/m,
      /^curtail_victims_total\{outcome="failed"\} 1$/m,
      /^curtail_evictions_refused_total 1$/m,
      /^curtail_notices_total\{code="overshoot"\} 1$/m,
      /^curtail_timer_lateness_seconds_count [1-9]/m,
      /^curtail_plan_seconds_count [1-9]/m,
      /^curtail_consumer_lag_events\{consumer="timer"\} 0$/m,
      /^curtail_consumer_lag_events\{consumer="executor"\} 0$/m,
    ]) {
      expect(text).toMatch(line);
    }
  });
});

describe('a query that takes too long', () => {
  it('is cancelled with an answer that states the cancellation, and delays no service and no operator', async () => {
    const own = await EmbeddedSystem.start({ querySeconds: 5 });
    const blocker = await heldTransaction(own.db);
    await blocker.query('LOCK TABLE read_notices IN ACCESS EXCLUSIVE MODE');
    expect(await own.refused('GET', '/v1/notices')).toMatchObject({
      status: 504,
      type: 'urn:curtail:problem:took-too-long',
      remedy: expect.stringContaining('Ask for less'),
    });
    expect((await own.request('GET', '/v1/queues')).status).toBe(200);
    const { status } = await own.request('PUT', '/v1/partitions/default/mode', { mode: 'observe' });
    expect(status).toBeLessThan(300);
    await blocker.rollbackTransaction();
    await blocker.release();
    expect((await own.request('GET', '/v1/notices')).status).toBe(200);
    await own.stop();
  });
});

describe('a status that no one waits for any longer', () => {
  it('ends in the database when its client leaves, and its connection serves others', async () => {
    const own = await EmbeddedSystem.start({ querySeconds: 600 });
    const blocker = await heldTransaction(own.db);
    await blocker.query('LOCK TABLE dead_letters IN ACCESS EXCLUSIVE MODE');
    const waiting = async () => {
      const rows: unknown[] = await own.db.query(
        `SELECT pid FROM pg_stat_activity WHERE application_name = 'curtail-reader' AND datname = current_database()
         AND wait_event_type = 'Lock' AND query LIKE '%dead_letters%'`,
      );
      return rows.length;
    };
    const client = new AbortController();
    const asked = fetch(`${own.url}/v1/status`, { signal: client.signal });
    await own.until('the statement to wait', async () => (await waiting()) === 1);
    client.abort();
    await expect(asked).rejects.toThrow();
    // The lock is still held: only a cancelled statement waits no more.
    await own.until('the statement to end', async () => (await waiting()) === 0);
    await blocker.rollbackTransaction();
    await blocker.release();
    expect((await own.request('GET', '/v1/status')).status).toBe(200);
    await own.stop();
  });
});

describe('an answer for several pages', () => {
  it('is given to those who ask together, never older than what they have seen, and not again to those who have it', async () => {
    const partition = system.partition();
    await partition.configure({ a: { max: { memory: 10 } } });
    const page = new AbortController();
    const live = await fetch(`${system.url}/v1/live?partition=${partition.name}`, { signal: page.signal });
    const messages = live.body!.pipeThrough(new TextDecoderStream()).getReader();
    /** The id of the next message with this text. */
    const seen = async (text: string) => {
      for (;;) {
        const { value } = await messages.read();
        const id = /^id: (.*)$/m.exec(value!)?.[1];
        if (id !== undefined && value!.includes(text)) return id;
      }
    };
    const ask = (path: string, id: string, headers = {}) =>
      fetch(system.url + path, { headers: { 'curtail-last-seen': id, ...headers } });
    const status = `/v1/status?partition=${partition.name}`;
    const first = await seen('data');
    const together = await Promise.all(Array.from({ length: 8 }, () => ask(status, first)));
    const times = await Promise.all(
      together.map(async (answer) => ((await answer.json()) as { at: string }).at),
    );
    expect(new Set(times).size).toBeLessThan(4);

    const queues = `/v1/queues?partition=${partition.name}`;
    const tag = (await ask(queues, first)).headers.get('etag')!;
    expect((await ask(queues, first, { 'if-none-match': tag })).status).toBe(304);
    // While an answer is given to all who have seen no more than this.
    await system.request('POST', '/v1/kill-switch', { partition: partition.name, queue: 'root.a' });
    const next = await seen('KillSwitchSet');
    const after = await ask(queues, next, { 'if-none-match': tag });
    expect(await after.json()).toMatchObject({
      items: expect.arrayContaining([expect.objectContaining({ queue: 'root.a', stopped: true })]),
    });

    const refused = await Promise.all([1, 2].map(() => ask('/v1/queues/root.nowhere', next)));
    expect(refused.map((answer) => answer.status)).toEqual([404, 404]);
    page.abort();
  });
});

describe('readiness', () => {
  it('is lost with the database and comes back with it, and runs continue', async () => {
    const database = await createMigratedDatabase();
    const way = await TcpProxy.to(database.url);
    const own = await EmbeddedSystem.start({}, { url: way.url, drop: database.drop });
    const partition = own.partition();
    await partition.run({ queue: 'root.a', count: 5, resources: twenty });
    await partition.configure({ a: { max: { memory: 60 }, delay: '700ms' } });
    await partition.event('EnforcementScheduled');
    expect((await own.request('GET', '/readyz')).status).toBe(200);

    await way.cut();
    expect(await own.refused('GET', '/readyz')).toMatchObject({ status: 503, down: ['database'] });
    expect((await own.request('GET', '/healthz')).status).toBe(200);
    expect(await own.refused('GET', '/v1/queues')).toMatchObject({
      status: 503,
      type: 'urn:curtail:problem:database-away',
    });
    expect(
      await own.refused('PUT', `/v1/partitions/${partition.name}/mode`, { mode: 'observe' }),
    ).toMatchObject({ status: 503 });

    await way.pass();
    await own.until('the service to be ready again', async () => {
      return (await own.request('GET', '/readyz')).status === 200;
    });
    expect((await partition.ended('root.a')).data).toMatchObject({ outcome: 'satisfied', evicted: 2 });
    expect(await own.db.query('SELECT * FROM dead_letters')).toEqual([]);
    await own.stop();
    await way.cut();
    await database.drop();
  });
});
