import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { ListPage, Preview, RoundsView } from '#contracts/api';
import { digestOfPlan, readSnapshotBody } from '#event-store';
import { planGiven } from '#planning';
import { createMigratedDatabase } from '../support/database.js';
import { EmbeddedSystem } from '../support/embedded-system.js';
import { FairSharePartition } from '../support/fair-share-partition.js';
import { TestPartition } from '../support/test-partition.js';

const core = { vcore: 1000 };
const wants = (count: number, resources = core) => [{ resources, count }];

let system: EmbeddedSystem;
beforeAll(async () => {
  system = await EmbeddedSystem.start({ roundIntervalMilliseconds: 200, approveAboveVictims: 7 });
});
afterAll(() => system.stop());

/** Waits until so many more rounds have begun and are over. */
async function rounds(partition: string, more: number): Promise<void> {
  const count = async () => {
    const [row] = await system.db.query<{ round: string }[]>(
      `SELECT planned_round::text AS round FROM rounds WHERE partition = $1 AND policy = 'fair-share'`,
      [partition],
    );
    return Number(row?.round ?? 0);
  };
  const before = await count();
  await system.until(`${more} more rounds`, async () => (await count()) >= before + more);
}

const timersOf = (partition: string): Promise<{ name: string; dueAt: Date }[]> =>
  system.db.query(
    `SELECT name, due_at AS "dueAt" FROM timers WHERE kind = 'starvation' AND partition = $1 ORDER BY name`,
    [partition],
  );

const all: FairSharePartition[] = [];
// Its rounds would take the time that the next test needs.
afterEach(async () => {
  for (const one of all.splice(0)) await one.configure([]);
});

function fairShare(): FairSharePartition {
  const one = new FairSharePartition(system.partition());
  all.push(one);
  return one;
}

/** `old` runs all over one node, and `new` has nothing of it. */
async function starving(settings: object, interruptible = true): Promise<FairSharePartition> {
  const made = fairShare();
  await made.cluster({ n1: 10 }, [
    { id: 'old', queue: 'root.a', on: { n1: 10 }, interruptible },
    { id: 'new', queue: 'root.b', pending: wants(5) },
  ]);
  await made.configure(['a', 'b'], settings);
  return made;
}

describe('starvation over time', () => {
  it('starts a timer when an operation falls below its fair share, and takes room when it has lasted too long', async () => {
    const { of } = await starving({ fairShareStarvationTimeout: 1000, allocationPreemptionTimeout: 0 });
    const { data: fell } = await of.event('StatusChanged', 'root.b');
    expect(fell).toMatchObject({ from: 'normal', to: 'below_fair_share' });
    const { data: timer } = await of.event('TimerStarted', 'root.b');
    expect(Date.parse(timer.dueAt) - Date.parse(fell.at)).toBe(1001);
    const { data: starves } = await of.event('StarvationChanged', 'root.b');
    expect(Date.parse(starves.at)).toBeGreaterThanOrEqual(Date.parse(timer.dueAt));
    const { data: planned } = await of.event('PlanComputed');
    expect(planned.plan.victims.map(({ allocation, cause }) => [allocation, cause])).toEqual([
      ['old-10', 'starvation'],
    ]);
    const facts = { group: 'preemptible', operation: 'old', node: 'n1', preemptedFor: 'new' };
    expect(planned.rules).toMatchObject([{ rule: 'starvation', count: 1, facts }]);
    expect(planned.plan.starts).toMatchObject([{ operation: 'new', node: 'n1', victims: ['old-10'] }]);
    expect((await of.event('EnforcementEnded')).data).toMatchObject({ policy: 'fair-share', evicted: 1 });
    expect(await of.remaining('root.a')).not.toContain('old-10');

    // The read model and the metrics have seen it.
    await of.handled();
    const { items } = await system.get<{ items: object[] }>(`/v1/pools?partition=${of.name}`);
    expect(items).toMatchObject([
      { name: 'root' },
      { name: 'root.a', fairShare: 0.5 },
      { name: 'root.b', fairShare: 0.5, usageShare: 0, status: 'below_fair_share', starvation: 'starving' },
    ]);
    const { enforcement } = planned;
    await system.until('the end to be shown', async () => {
      const { body } = await system.request('GET', `/v1/enforcements/${enforcement}/explanation`);
      const { victims } = body as { victims: { allocation: string; state: string }[] };
      return victims.length === 1 && victims[0]?.allocation === 'old-10' && victims[0].state === 'evicted';
    });
    // The plan is recorded without what was asked of it for the clocks, and can be made again from its recorded input.
    const { trigger, settings, snapshotDigest, planDigest } = planned;
    const snapshot = await readSnapshotBody(system.db, snapshotDigest);
    expect(digestOfPlan(planGiven({ snapshot, trigger, settings }))).toBe(planDigest);
    const metrics = await system.until('the metrics', async () => {
      const { body } = await system.request<string>('GET', '/metrics');
      return /^curtail_starving\{kind="operation",state="starving"\} [1-9]/m.test(body) && body;
    });
    expect(metrics).toMatch(/^curtail_preemptions_total\{cause="starvation"\} [1-9]/m);
  });

  it('calls the timer off when the operation has its share by itself, and reports nothing more', async () => {
    const made = await starving({ fairShareStarvationTimeout: 60_000 });
    const { of } = made;
    const { data: timer } = await of.event('TimerStarted', 'root.b');
    await rounds(of.name, 3);
    expect((await of.events('TimerStarted', 'root.b')).length).toBe(2);
    await made.cluster({}, [{ id: 'new', queue: 'root.b', pending: [] }]);
    const { data: cancelled } = await of.event('TimerCancelled', 'root.b', 2);
    expect(cancelled.dueAt).toBe(timer.dueAt);
    expect(
      (await of.events('StatusChanged', 'root.b')).map(({ data }) => `${data.kind} ${data.to}`).sort(),
    ).toEqual([
      ...['operation below_fair_share', 'operation normal', 'pool below_fair_share', 'pool normal'],
    ]);
    await rounds(of.name, 3);
    expect((await of.log()).filter(({ stream }) => stream.startsWith('starvation-'))).toHaveLength(8);
    expect(await timersOf(of.name)).toEqual([]);
    expect(await of.events('PlanComputed')).toEqual([]);
  });

  it('sets the timer again when the timeout becomes another one', async () => {
    const made = await starving({ fairShareStarvationTimeout: 60_000 });
    const { data: first } = await made.of.event('TimerStarted', 'root.b', 2);
    await made.configure(['a', 'b'], { fairShareStarvationTimeout: 90_000 });
    const { data: again } = await made.of.event('TimerRestarted', 'root.b', 2);
    expect(again.previousDueAt).toBe(first.dueAt);
    expect(Date.parse(again.dueAt) - Date.parse(first.dueAt)).toBe(30_000);
    expect((await timersOf(made.of.name)).map(({ dueAt }) => dueAt.toISOString())).toEqual([
      again.dueAt,
      again.dueAt,
    ]);
  });

  it('forgets all of it when the policy is switched off', async () => {
    const made = await starving({ fairShareStarvationTimeout: 60_000 });
    await made.of.event('TimerStarted', 'root.b', 2);
    await made.configure(['a', 'b']);
    await made.of.event('TimerCancelled', 'root.b', 2);
    expect(await timersOf(made.of.name)).toEqual([]);
    expect(
      await system.db.query('SELECT 1 FROM starvation_clocks WHERE partition = $1', [made.of.name]),
    ).toEqual([]);
    expect(await system.get(`/v1/pools?partition=${made.of.name}`)).toEqual({ items: [] });
  });

  it('evicts no one where the partition only observes, and shows one set of victims once', async () => {
    const made = fairShare();
    const { of } = made;
    await of.setMode('observe');
    await made.cluster({ n1: 10 }, [
      { id: 'old', queue: 'root.a', on: { n1: 10 } },
      { id: 'new', queue: 'root.b', pending: wants(5) },
    ]);
    await made.configure(['a', 'b'], { fairShareStarvationTimeout: 100 });
    expect((await of.event('EnforcementEnded')).data).toMatchObject({ outcome: 'observed', spared: 1 });
    await rounds(of.name, 4);
    expect(await of.events('PlanComputed')).toHaveLength(1);
    expect(await of.events('VictimNotified')).toEqual([]);
    expect(await of.remaining('root.a')).toHaveLength(10);
  });
});

describe('graceful interruption', () => {
  it('asks to finish, and kills when the time is over; others at once', async () => {
    const { of } = await starving({ fairShareStarvationTimeout: 100, allocationPreemptionTimeout: 1200 });
    const { data: asked } = await of.event('VictimNotified');
    expect(asked).toMatchObject({ allocation: 'old-10', interrupts: true });
    expect(Date.parse(asked.killAt) - Date.parse(asked.notifiedAt)).toBe(1200);
    const { data: killed } = await of.event('VictimOrdered');
    expect(Date.parse(killed.orderedAt)).toBeGreaterThanOrEqual(Date.parse(asked.killAt));
    expect((await of.event('EnforcementEnded')).data).toMatchObject({ evicted: 1 });
    // Rounds continued meanwhile, and counted it as leaving: none of them planned a second victim for one need.
    expect(await of.events('PlanComputed')).toHaveLength(1);
    expect(await of.events('VictimNotified')).toHaveLength(1);
    const [node] = await system.db.query(
      'SELECT node, last_preemptive_at FROM preemptive_nodes WHERE partition = $1',
      [of.name],
    );
    const { data: planned } = await of.event('PlanComputed');
    expect(node).toEqual({ node: 'n1', last_preemptive_at: new Date(planned.takenAt) });

    const other = await starving(
      { fairShareStarvationTimeout: 100, allocationPreemptionTimeout: 60_000 },
      false,
    );
    expect((await other.of.event('EnforcementEnded')).data).toMatchObject({ evicted: 1 });
    expect(await other.of.events('VictimNotified')).toEqual([]);
  });

  it('spares victims that are no longer needed when the time is over', async () => {
    const made = await starving({ fairShareStarvationTimeout: 100, allocationPreemptionTimeout: 1500 });
    await made.of.event('VictimNotified');
    await made.cluster({}, [{ id: 'new', queue: 'root.b', pending: [] }]);
    expect((await made.of.event('VictimSpared')).data).toMatchObject({
      allocation: 'old-10',
      code: 'no-longer-needed',
    });
    expect((await made.of.event('EnforcementEnded')).data).toMatchObject({
      outcome: 'impossible',
      spared: 1,
    });
  });

  it('kills no one any more once the policy is switched off', async () => {
    const made = await starving({ fairShareStarvationTimeout: 100, allocationPreemptionTimeout: 600_000 });
    await made.of.event('VictimNotified');
    await made.configure(['a', 'b']);
    expect((await made.of.event('EnforcementEnded')).data).toMatchObject({ outcome: 'fenced', evicted: 0 });
    expect(await made.of.remaining('root.a')).toHaveLength(10);
  });

  it('kills no one by a plan of settings that are others by now', async () => {
    const settings = { fairShareStarvationTimeout: 100, allocationPreemptionTimeout: 600_000 };
    const made = await starving(settings);
    const { data: asked } = await made.of.event('VictimNotified');
    await made.configure(['a', 'b'], { ...settings, protect: { applications: ['old'] } });
    const { data: ended } = await made.of.event('EnforcementEnded');
    expect(ended).toMatchObject({ enforcement: asked.enforcement, outcome: 'fenced', evicted: 0 });
    await rounds(made.of.name, 3);
    expect(await made.of.events('PlanComputed')).toHaveLength(1);
    expect(await made.of.remaining('root.a')).toHaveLength(10);
  });
});

describe('a plan that waits for an approval', () => {
  const limited = { name: 'a', resources: { max: { vcore: '2' } } };

  it('changes nothing, and holds back others, until it has it', async () => {
    const made = fairShare();
    const { of } = made;
    await made.cluster({ n1: 10 }, [{ id: 'old', queue: 'root.a', on: { n1: 10 }, interruptible: false }]);
    await made.configure([limited, 'b'], {
      preemptionSatisfactionThreshold: 0.001,
      aggressivePreemptionSatisfactionThreshold: 0,
    });
    const { data: opened } = await of.event('EnforcementOpened');
    expect(opened).toMatchObject({ needsApproval: true, victims: 8 });
    await rounds(of.name, 3);
    expect(await of.events('PlanComputed')).toHaveLength(1);
    expect(await system.db.query('SELECT 1 FROM planned_victims WHERE partition = $1', [of.name])).toEqual(
      [],
    );
    const { items } = await system.get<{ items: { name: string; usageShare: number }[] }>(
      `/v1/pools?partition=${of.name}`,
    );
    expect(items.find(({ name }) => name === 'root.a')?.usageShare).toBe(1);
    await system.request('POST', `/v1/enforcements/${opened.enforcement}/approve`, { by: 'ada' });
    expect((await of.event('EnforcementEnded')).data).toMatchObject({ evicted: 8 });
    expect(await of.remaining('root.a')).toHaveLength(2);
  });

  it('ends at once when the policy is switched off', async () => {
    const made = fairShare();
    const { of } = made;
    const settings = { preemptionSatisfactionThreshold: 0.001, aggressivePreemptionSatisfactionThreshold: 0 };
    await made.cluster({ n1: 10 }, [{ id: 'old', queue: 'root.a', on: { n1: 10 }, interruptible: false }]);
    await made.configure([limited, 'b'], settings);
    const { data: opened } = await of.event('EnforcementOpened');
    await made.configure([limited, 'b']);
    expect((await of.event('EnforcementEnded')).data).toMatchObject({
      enforcement: opened.enforcement,
      outcome: 'fenced',
      evicted: 0,
    });
  });
});

describe('a preview', () => {
  it('names the victims of the next round by the configuration, and by the one in force', async () => {
    const made = fairShare();
    const { of } = made;
    await made.cluster({ n1: 10 }, [{ id: 'old', queue: 'root.a', on: { n1: 10 } }]);
    const settings = { preemptionSatisfactionThreshold: 0.001, aggressivePreemptionSatisfactionThreshold: 0 };
    await made.configure(['a', 'b'], settings);
    const preview = async (max: string) => {
      const pools = [{ name: 'a', resources: { max: { vcore: max } } }, 'b'];
      const path = `/v1/partitions/${of.name}/config?dryRun=true`;
      const { body } = await system.request('PUT', path, made.configuration(pools, settings));
      return body as Preview;
    };
    const decided = { rule: 'resource-limits', facts: { operation: 'old', startedAt: expect.any(String) } };
    expect(await preview('10')).toMatchObject({ victims: 0, rounds: [] });
    expect(await preview('8')).toMatchObject({
      victims: 2,
      rounds: [
        {
          policy: 'fair-share',
          more: ['old-10', 'old-09'],
          plan: { victims: [decided, decided] },
        },
      ],
    });
    expect(await of.remaining('root.a')).toHaveLength(10);
  });
});

describe('what is left alone', () => {
  const stop = (of: TestPartition, queue: string) =>
    system.request('POST', '/v1/kill-switch', { partition: of.name, queue, by: 'ada', allowUnknown: true });

  const freeze = (of: TestPartition, queue: string) =>
    system.request('POST', '/v1/freezes', {
      ...{ partition: of.name, queue, by: 'ada', duration: 'PT1H', allowUnknown: true },
    });

  it.each([
    ['below a kill switch', stop],
    ['in a frozen pool', freeze],
  ])('is what stands %s: the next newest goes in its place', async (_, hold) => {
    const made = fairShare();
    const { of } = made;
    expect((await hold(of, 'root.a')).status).toBeLessThan(300);
    await made.cluster({ n1: 12 }, [
      { id: 'other', queue: 'root.c', on: { n1: 6 } },
      { id: 'old', queue: 'root.a', on: { n1: 6 } },
      { id: 'new', queue: 'root.b', pending: wants(5) },
    ]);
    await made.configure(['a', 'b', 'c'], {
      fairShareStarvationTimeout: 100,
      allocationPreemptionTimeout: 0,
    });
    const { data: planned } = await of.event('PlanComputed');
    expect(planned.plan.victims.map(({ allocation }) => allocation)).toEqual(['other-06']);
    expect(planned.settings).toMatchObject({ protect: { queues: ['root.a'] } });
    expect((await of.event('EnforcementEnded')).data).toMatchObject({ evicted: 1 });
    expect(await of.remaining('root.a')).toHaveLength(6);
  });

  it('is the operation whose victim an operator has rejected: later rounds choose another', async () => {
    const made = fairShare();
    const { of } = made;
    await made.cluster({ n1: 12 }, [
      { id: 'other', queue: 'root.c', on: { n1: 6 } },
      { id: 'old', queue: 'root.a', on: { n1: 6 } },
      { id: 'new', queue: 'root.b', pending: wants(5) },
    ]);
    const settings = { fairShareStarvationTimeout: 100, allocationPreemptionTimeout: 60_000 };
    await made.configure(['a', 'b', 'c'], settings);
    const { data: asked } = await of.event('VictimNotified');
    expect(asked.allocation).toBe('other-06');
    const path = `/v1/enforcements/${asked.enforcement}/cancel`;
    expect((await system.request('POST', path, { by: 'ada' })).status).toBeLessThan(300);
    expect((await of.event('EnforcementEnded')).data).toMatchObject({ outcome: 'cancelled' });
    const { data: next } = await of.event('PlanComputed', undefined, 2);
    expect(next.plan.victims.map(({ allocation }) => allocation)).toEqual(['old-06']);
    expect(next.settings).toMatchObject({ protect: { applications: ['other'] } });
    const { items } = await system.get<ListPage<RoundsView>>(`/v1/rounds?partition=${of.name}`);
    expect(items.map(({ policy, exempt }) => [policy, exempt])).toEqual([
      ['fair-share', [{ kind: 'application', name: 'other', until: expect.stringMatching(/Z$/) }]],
    ]);
  });
});

describe('a restart', () => {
  it('keeps clocks and the time to finish: an overdue timer fires once, and no one is killed early', async () => {
    const database = await createMigratedDatabase();
    const first = await EmbeddedSystem.start({ roundIntervalMilliseconds: 200 }, database);
    const made = new FairSharePartition(first.partition());
    await made.cluster({ n1: 10 }, [
      { id: 'old', queue: 'root.a', on: { n1: 10 } },
      { id: 'new', queue: 'root.b', pending: wants(5) },
    ]);
    await made.configure(['a', 'b'], { fairShareStarvationTimeout: 1500, allocationPreemptionTimeout: 4000 });
    const { data: timer } = await made.of.event('TimerStarted', 'root.b');
    await first.stop();
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, Date.parse(timer.dueAt) - Date.now())));

    // Between the starvation and its plan. No interval ends for an hour: the timer alone has the plan made.
    const second = await EmbeddedSystem.start({ roundIntervalMilliseconds: 3_600_000 }, database);
    const later = new TestPartition(second, made.of.name);
    const { data: starves } = await later.event('StarvationChanged', 'root.b');
    expect(Date.parse(starves.at)).toBeGreaterThanOrEqual(Date.parse(timer.dueAt));
    const { data: asked } = await later.event('VictimNotified');
    await second.stop();

    const third = await EmbeddedSystem.start({ roundIntervalMilliseconds: 3_600_000 }, database);
    const last = new TestPartition(third, made.of.name);
    const { data: killed } = await last.event('VictimOrdered');
    expect(Date.parse(killed.orderedAt)).toBeGreaterThanOrEqual(Date.parse(asked.killAt));
    await last.event('EnforcementEnded');
    expect(await last.events('VictimNotified')).toHaveLength(1);
    expect(
      (await last.events('StarvationChanged', 'root.b')).filter(({ data }) => data.kind === 'operation'),
    ).toHaveLength(1);
    await third.stop();
    await database.drop();
  });
});
