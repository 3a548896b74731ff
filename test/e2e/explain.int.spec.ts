import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type {
  AllocationExplanation,
  EnforcementExplanation,
  EnforcementView,
  EventView,
  ListPage,
  PlanView,
  QueueExplanation,
  QueueHistory,
  QueueView,
  VictimView,
} from '#contracts/api';
import { planStream } from '#event-store';
import { wordsOfRule } from '#planning/words';
import { curtail } from '../../apps/curtail/testing/test-terminal.js';
import { EmbeddedSystem } from '../support/embedded-system.js';
import { FairSharePartition } from '../support/fair-share-partition.js';
import type { QueueSpec } from '../support/queue-spec.js';
import type { TestPartition } from '../support/test-partition.js';

const ten = { memory: 10 };

let system: EmbeddedSystem;
beforeAll(async () => {
  system = await EmbeddedSystem.start({ roundIntervalMilliseconds: 200 });
});
afterAll(() => system.stop());

const queue = ({ name }: TestPartition, path: string) =>
  system.get<QueueExplanation>(`/v1/queues/${path}/explanation?partition=${name}`);
const allocation = ({ name }: TestPartition, id: string) =>
  system.get<AllocationExplanation>(`/v1/allocations/${id}/explanation?partition=${name}`);

describe('in a partition with hundreds of later runs', () => {
  const others = Array.from({ length: 200 }, (_, i) => `b${i}`);
  let partition: TestPartition;
  let first: string;
  beforeAll(async () => {
    partition = system.partition();
    await partition.run(
      { queue: 'root.p.a', count: 3, resources: ten },
      ...others.map((name) => ({ queue: `root.p.x.${name}`, count: 2, resources: ten })),
    );
    const below = (delay: string, max: number): Record<string, QueueSpec> =>
      Object.fromEntries(others.map((name) => [name, { max: { memory: max }, delay }]));
    const configured = (max: number) => ({
      p: {
        max: { memory: 10_000 },
        queues: { a: { max: { memory: 20 }, delay: '20ms' }, x: { queues: below('20ms', max) } },
      },
    });
    await partition.configure(configured(20));
    const ended = await partition.ended('root.p.a');
    first = ended.data.enforcement;
    await partition.configure(configured(10));
    await system.until('all other runs to end', async () => {
      const [row] = await system.db.query<{ count: number }[]>(
        `SELECT count(*)::int AS count FROM read_runs
         WHERE partition = $1 AND state = 'ended' AND queue LIKE 'root.p.x.%' AND evicted = 1`,
        [partition.name],
      );
      return row?.count === others.length;
    });
  });

  it('a queue has its own runs, history and notices', async () => {
    const why = await queue(partition, 'root.p.a');
    expect(why.runs).toMatchObject([
      { enforcement: first, policy: 'quota-decrease', queue: 'root.p.a', outcome: 'satisfied', victims: 1 },
    ]);
    expect(why.history.map(({ event }) => event)).toContain('EnforcementStarted');
  });

  it('a queue above them has its own history, not theirs', async () => {
    const why = await queue(partition, 'root.p');
    expect(why.runs).toEqual([]);
    expect(why.history.map(({ event }) => event)).toContain('QuotaChanged');
  });

  it('an allocation that was left alone has the run of its queue, and no other', async () => {
    expect(await allocation(partition, 'a-1')).toMatchObject({
      queue: 'root.p.a',
      chosen: [],
      spared: [{ enforcement: first, queue: 'root.p.a', reason: 'not-needed' }],
    });
    expect((await allocation(partition, 'a-3')).chosen).toMatchObject([{ enforcement: first }]);
  });
});

describe('a run of the queue above', () => {
  it('is one of the runs of a queue below it, with the victims there', async () => {
    const partition = system.partition();
    await partition.run(
      { queue: 'root.p.a', count: 4, resources: ten },
      { queue: 'root.p.b', count: 4, resources: ten },
    );
    await partition.configure({
      p: { max: { memory: 60 }, delay: '20ms', queues: { a: {}, b: { guaranteed: { memory: 40 } } } },
    });
    const { data } = await partition.ended('root.p');
    await partition.handled();
    const { enforcement } = data;
    expect((await queue(partition, 'root.p.a')).runs).toMatchObject([
      { enforcement, queue: 'root.p', victims: 2 },
    ]);
    expect((await queue(partition, 'root.p.b')).runs).toMatchObject([{ enforcement, victims: 0 }]);
    expect((await allocation(partition, 'b-1')).spared).toMatchObject([{ enforcement, queue: 'root.p' }]);
  });

  it('is marked in the history of its queue, with the quotas, the usage and who changed them', async () => {
    const partition = system.partition();
    const { name } = partition;
    const history = (path: string) =>
      system.get<QueueHistory>(`/v1/queues/${path}/history?partition=${name}`);
    await partition.run({ queue: 'root.p.a', count: 4, resources: ten });
    await partition.configure({ p: { max: { memory: 90 }, delay: '20ms', queues: { a: {} } } });
    const configured = await system.request('PUT', `/v1/partitions/${name}/config?by=ada`, {
      partitions: [
        {
          name,
          preemption: { quotapreemptionenabled: true },
          queues: [
            {
              name: 'root',
              queues: [
                {
                  name: 'p',
                  resources: { max: { memory: 20 } },
                  properties: { 'quota.preemption.delay': '20ms' },
                  queues: [{ name: 'a' }],
                },
              ],
            },
          ],
        },
      ],
    });
    expect(configured.status).toBe(200);
    const { data } = await partition.ended('root.p');
    await system.request('POST', '/v1/kill-switch', { partition: name, reason: 'audit', by: 'grace' });
    const { quotas, usage, marks, isWhole } = await history('root.p');
    expect(quotas.map(({ max }) => max?.memory ?? null)).toEqual([null, 90, 20]);
    expect(usage.map(({ amounts }) => amounts.memory)).toEqual(expect.arrayContaining([40, 20]));
    expect(usage.at(-1)?.amounts.memory).toBe(20);
    expect(isWhole).toBe(true);
    const positions = marks.map(({ position }) => BigInt(position));
    expect(positions).toEqual(positions.toSorted((a, b) => (a < b ? 1 : -1)));
    const marked = marks.map(({ event, by, enforcement }) => [event, by, enforcement]);
    expect(marked[0]).toEqual(['KillSwitchSet', 'grace', null]);
    expect(marked).toContainEqual(['QuotaChanged', 'ada', null]);
    expect(marked).toContainEqual(['EnforcementStarted', null, data.enforcement]);
    expect(marked).toContainEqual(['EnforcementEnded', null, data.enforcement]);
    expect((await history('root.p.a')).marks.map(({ event }) => event)).toContain('KillSwitchSet');
    expect((await system.get<QueueView>(`/v1/queues/root.p?partition=${name}`)).previousMax).toEqual({
      memory: 90,
    });
    await system.request('DELETE', `/v1/kill-switch?partition=${name}`);
  });
});

describe('a run with many victims', () => {
  const victims = Array.from({ length: 60 }, (_, i) => i + 1);
  let partition: TestPartition;
  let path: string;
  let enforcement: string;
  beforeAll(async () => {
    partition = system.partition();
    await partition.run({ queue: 'root.p', count: victims.length + 10, resources: ten, user: 'ada' });
    await partition.configure({ p: { max: { memory: 100 }, delay: '20ms' } });
    const ended = await partition.ended('root.p');
    enforcement = ended.data.enforcement;
    path = `/v1/enforcements/${enforcement}`;
    await partition.handled();
  });

  it('is given page by page, each victim once in the order of eviction', async () => {
    type Page = EnforcementView & { plannedVictims: VictimView[]; next?: string };
    const pages: Page[] = [];
    for (let after = '0'; ; after = pages.at(-1)!.next!) {
      pages.push(await system.get<Page>(`${path}?limit=25&after=${after}`));
      if (pages.at(-1)!.next === undefined) break;
    }
    const ranks = pages.map(({ plannedVictims }) => plannedVictims.map(({ rank }) => rank));
    expect(ranks).toEqual([victims.slice(0, 25), victims.slice(25, 50), victims.slice(50)]);
    expect(await system.refused('GET', `${path}?limit=0`)).toMatchObject({ status: 400 });
  });

  it('is explained with a limit by the first victims, and by why how many others were spared', async () => {
    const why = await system.get<EnforcementExplanation>(`${path}/explanation?limit=10`);
    expect(why.victims.map(({ rank }) => rank)).toEqual(victims.slice(0, 10));
    expect(why.plan?.victims).toHaveLength(10);
    expect(why.plan).not.toHaveProperty('spared');
    expect(why.sparedBy).toEqual([{ reason: 'not-needed', count: 10, first: expect.any(Array) }]);
    const whole = await system.get<EnforcementExplanation>(`${path}/explanation`);
    expect([whole.victims.length, whole.plan?.victims.length, whole.plan?.spared?.length]).toEqual([
      60, 60, 10,
    ]);
    expect(whole).not.toHaveProperty('sparedBy');
    expect(whole.summary).toEqual(why.summary);
  });

  it('is explained with a limit by all of its victims in groups', async () => {
    const { summary } = await system.get<EnforcementExplanation>(`${path}/explanation?limit=10`);
    expect(summary).toMatchObject({
      states: { count: 1, first: [{ name: 'evicted', victims: 60 }] },
      queues: { count: 1, first: [{ name: 'root.p', victims: 60 }] },
    });
    const whole = await system.get<EnforcementExplanation>(`${path}/explanation`);
    for (const { reason, rule, facts } of whole.victims) {
      expect(reason).toContain(wordsOfRule(rule!));
      expect(reason).toContain(`Number ${facts?.number} of ${facts?.of} in root.p`);
    }
    expect(summary?.rules.first.reduce((sum, { victims: of }) => sum + of, 0)).toBe(60);
    for (const { name, victims: of } of summary?.rules.first ?? []) {
      expect(whole.victims.filter(({ rule }) => wordsOfRule(rule!) === name)).toHaveLength(of);
    }
    const owners = new Set(whole.victims.map(({ owner }) => owner));
    expect(owners.size).toBe(1);
    expect(summary?.owners).toEqual({
      count: 1,
      first: [{ name: [...owners][0], victims: 60, resources: { memory: 600 } }],
    });
    const call = ['--server', system.url, '--no-color', 'explain', 'enforcement', enforcement];
    const { stdout } = await curtail(call, { columns: 80 });
    expect(stdout).toMatch(/^SUMMARY$/m);
    expect(stdout).toMatch(/^OWNER +60 /m);
    expect(stdout).toMatch(/^RULE +60 {2}.* \(rule \d\)$/m);
    expect(stdout).toMatch(/^QUEUE +60 {2}root\.p$/m);
    const unwrapped = stdout.replaceAll(/\n */g, ' ');
    expect(unwrapped).toContain('lowest priority first (2)');
    expect(unwrapped).toMatch(/Times are local time, UTC[+-]\d\d:\d\d \(/);
    const all = (await curtail([...call, '--all'], { columns: 80 })).stdout;
    expect(all).toMatch(/^OWNER +60 /m);
    expect(all).toMatch(/^RULE +60 {2}.* \(rule \d\)$/m);
    expect(all).not.toMatch(/^QUEUE +60 /m);
    expect(all.replaceAll(/\n */g, ' ')).toContain('lowest priority first (2)');
    expect(all.trimEnd().replaceAll(/\n */g, ' ')).toMatch(/Times are local time, UTC.*\)\.$/);
  });

  it('is explained on a terminal by 50 victims, and by all of them with --all', async () => {
    const shown = async (...words: string[]) => {
      const call = ['--server', system.url, 'explain', 'enforcement', enforcement, ...words];
      const { stdout } = await curtail(call, { columns: 120 });
      return whole.victims.filter(({ allocation }) => new RegExp(`\\b${allocation}\\b`).test(stdout)).length;
    };
    const whole = await system.get<EnforcementExplanation>(`${path}/explanation`);
    expect([await shown(), await shown('--all')]).toEqual([50, 60]);
  });

  it('is listed with its plan from the read model, or, before that has it, from the log', async () => {
    const list = () => system.get<ListPage<PlanView>>(`/v1/plans?partition=${partition.name}`);
    const shown = await list();
    expect(shown.items).toMatchObject([
      { enforcement, queue: 'root.p', outcome: 'satisfied', victims: 60, target: { memory: 600 } },
    ]);
    const [before] = await system.db.query<object[]>(
      'DELETE FROM read_runs WHERE enforcement = $1 RETURNING to_json(read_runs) AS row',
      [enforcement],
    );
    expect(await list()).toEqual(shown);
    await system.db.query('INSERT INTO read_runs SELECT * FROM json_populate_record(NULL::read_runs, $1)', [
      JSON.stringify((before as unknown as { row: object }[])[0]!.row),
    ]);
  });

  it('has its plan in one event, which can be read by its id', async () => {
    const [{ id }] = await system.db.query('SELECT id FROM events WHERE stream = $1', [
      planStream(enforcement),
    ]);
    expect(await system.get<EventView>(`/v1/events/${id}`)).toMatchObject({
      name: 'PlanComputed',
      stream: planStream(enforcement),
      queue: 'root.p',
      data: { enforcement, plan: { victims: expect.any(Array) } },
    });
    for (const unknown of ['00000000-0000-4000-8000-000000000000', 'none'])
      expect(await system.refused('GET', `/v1/events/${unknown}`)).toMatchObject({ status: 404 });
  });
});

describe('a run that takes from many queues', () => {
  const names = Array.from({ length: 60 }, (_, i) => `q${i}`);
  let path: string;
  let call: string[];
  beforeAll(async () => {
    const partition = system.partition();
    await partition.run(...names.map((name) => ({ queue: `root.p.${name}`, count: 2, resources: ten })));
    const queues = Object.fromEntries(names.map((name) => [name, {}]));
    await partition.configure({ p: { max: { memory: 600 }, delay: '20ms', queues } });
    const { enforcement } = (await partition.ended('root.p')).data;
    path = `/v1/enforcements/${enforcement}/explanation`;
    call = ['--server', system.url, 'explain', 'enforcement', enforcement];
    await partition.handled();
  });

  it('is explained with a limit by the first of each list, and by how many there are', async () => {
    const why = await system.get<EnforcementExplanation>(`${path}?limit=7`);
    expect(why.plan?.shares.map(({ queue }) => queue)).toEqual(
      [...names]
        .sort()
        .slice(0, 7)
        .map((name) => `root.p.${name}`),
    );
    expect(why.counts).toMatchObject({ shares: 60, victims: 60, notices: why.plan?.notices.length });
    expect(await system.get(path)).not.toHaveProperty('counts');
  });

  it('is explained on a terminal by the first of each list, and by how to get all', async () => {
    const shares = async (...words: string[]) => {
      const { stdout } = await curtail([...call, ...words], { columns: 120 });
      return stdout.split('\n').slice(stdout.split('\n').findIndex((line) => line.includes('SHARES')) + 2);
    };
    expect((await shares())[50]).toBe('… and 10 more: --all shows them');
    expect((await shares('--all'))[59]).toMatch(/^root\.p\.q9 /);
  });
});

describe('a pool', () => {
  it('has the rounds of fair-share: why it starves, and which took from it', async () => {
    const of = system.partition();
    const made = new FairSharePartition(of);
    await made.cluster({ n1: 12, n2: 2 }, [
      { id: 'old', queue: 'root.a', on: { n1: 12 } },
      { id: 'calm', queue: 'root.c', on: { n2: 2 } },
      { id: 'web', queue: 'root.b', pending: [{ resources: { vcore: 1000 }, count: 5 }] },
    ]);
    await made.configure(['a', 'b', 'c'], {
      fairShareStarvationTimeout: 100,
      allocationPreemptionTimeout: 60_000,
    });
    const { data } = await of.event('VictimNotified');
    const starving = await system.until('the starving pool', async () => {
      const why = await queue(of, 'root.b');
      return why.rounds.length > 0 && why.rounds[0]!.reasons.length > 0 && why;
    });
    expect(starving.pool).toMatchObject({ kind: 'pool', name: 'root.b', status: 'below_fair_share' });
    expect(starving.rounds).toMatchObject([
      {
        policy: 'fair-share',
        reasons: expect.arrayContaining([expect.objectContaining({ name: 'web', queue: 'root.b' })]),
      },
    ]);
    await of.handled();
    const [run] = (await queue(of, 'root.a')).runs;
    expect(run).toMatchObject({ enforcement: data.enforcement, policy: 'fair-share', queue: 'root' });
    expect(run?.victims).toBeGreaterThan(0);
    const calm = await queue(of, 'root.c');
    expect(calm.runs).toEqual([]);
    expect(calm.pool).toMatchObject({ name: 'root.c', starvation: 'non_starving' });
    expect((await allocation(of, data.allocation)).chosen).toMatchObject([{ enforcement: data.enforcement }]);
  });

  it('has the notices that are about it or what is in it, by their subject', async () => {
    const of = system.partition();
    const made = new FairSharePartition(of);
    await made.cluster({ n1: 10 }, [
      { id: 'old', queue: 'root.a', on: { n1: 10 } },
      { id: 'none', queue: 'root.b', pending: [{ resources: { vcore: 1000 }, count: 1 }] },
    ]);
    await made.configure(['a', { name: 'b', resources: { max: { vcore: '0' } } }], {
      fairShareStarvationTimeout: 100_000,
    });
    const why = await system.until('the notice', async () => {
      const found = await queue(of, 'root.b');
      return found.rounds.some(({ notices }) => notices.length > 0) && found;
    });
    expect(why.rounds[0]?.notices).toMatchObject([
      { code: 'no-fair-share', about: { kind: 'operation', name: 'none', queue: 'root.b' } },
    ]);
    expect((await queue(of, 'root.a')).rounds.flatMap(({ notices }) => notices)).toEqual([]);
  });
});
