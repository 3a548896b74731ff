import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ProposedQueues, queuesInForce, takePlanningSnapshot } from '#clusters';
import type { PendingPreview, Preview, QueuePreview, WhatIf } from '#contracts/api';
import { curtail } from '../../apps/curtail/testing/test-terminal.js';
import { EmbeddedSystem } from '../support/embedded-system.js';
import { configuration, type QueueSpec } from '../support/queue-spec.js';
import type { TestPartition } from '../support/test-partition.js';

const ten = { memory: 10 };
const hour = '1h';

type Evicted = Record<string, string[]>;
/** Runs in the order in which they start, and the victims of each. */
type Foreseen = Preview & { inOrder: (QueuePreview | PendingPreview)[]; runs: Evicted };

async function dryRun(
  partition: TestPartition,
  queues: Record<string, QueueSpec>,
  on = true,
): Promise<Foreseen> {
  const { status, body } = await partition.submit(configuration(partition.name, queues, on), '?dryRun=true');
  expect({ status, body }).toMatchObject({ status: 200 });
  const preview = body as unknown as Preview;
  const inOrder = [...preview.changed, ...preview.pending]
    .filter(({ order }) => order !== undefined)
    .sort((a, b) => (a.order ?? 0) - (b.order ?? 0));
  const runs = inOrder.map(({ queue, plan }) => [queue, plan?.victims.map(({ allocation }) => allocation)]);
  return { ...preview, inOrder, runs: Object.fromEntries(runs) };
}

/** The victims of the runs of some queues, once they have ended. */
async function evicted(partition: TestPartition, ...queues: string[]): Promise<Evicted> {
  for (const queue of queues) await partition.ended(queue);
  const victims = await partition.events('VictimEvicted');
  const enforcements = new Map(
    (await partition.events('EnforcementStarted')).map(({ data }) => [data.enforcement, data.queue]),
  );
  return Object.fromEntries(
    queues.map((queue) => [
      queue,
      victims
        .filter(({ data }) => enforcements.get(data.enforcement) === queue)
        .map(({ data }) => data.allocation),
    ]),
  );
}

const oneAndTwo = (partition: TestPartition, count = 10) =>
  partition.run(
    { queue: 'root.p.one', count, resources: ten },
    { queue: 'root.p.two', count, resources: ten },
  );

describe('a dry run names the victims that the runs evict', () => {
  let system: EmbeddedSystem;
  beforeAll(async () => {
    system = await EmbeddedSystem.start();
  });
  afterAll(() => system.stop());

  it('of a parent and a leaf with the same delay', async () => {
    const partition = system.partition();
    await oneAndTwo(partition);
    const queues = {
      p: { max: { memory: 120 }, delay: '100ms', queues: { one: { max: { memory: 60 } }, two: {} } },
    };
    const foreseen = await dryRun(partition, queues);
    await partition.configure(queues);
    const runs = await evicted(partition, 'root.p', 'root.p.one');
    expect(runs['root.p']).toHaveLength(4);
    expect(foreseen.runs).toEqual(runs);
  });

  it('by the settings of the nearest queue, which take effect without a restart and are recorded', async () => {
    const partition = system.partition();
    await oneAndTwo(partition);
    const of = (memory: number, miss: object, ofParent: number) => ({
      p: {
        properties: { 'curtail.miss': ofParent },
        queues: { one: { max: { memory }, delay: '100ms', properties: { ...miss } }, two: {} },
      },
    });
    const lowered = of(75, {}, 20);
    const inherited = await dryRun(partition, lowered);
    await partition.configure(lowered);
    const first = await evicted(partition, 'root.p.one');
    expect(first['root.p.one']).toHaveLength(2);
    expect(inherited.runs).toEqual(first);

    const again = of(55, { 'curtail.miss': 0 }, 20);
    const own = await dryRun(partition, again);
    expect(own.runs['root.p.one']).toHaveLength(3);
    await partition.configure(again);
    const plans = await system.until('both plans', async () => {
      const all = await partition.events('PlanComputed');
      return all.length === 2 && all;
    });
    expect(plans.map(({ data }) => data.settings.miss)).toEqual([20, 0]);
    expect(plans[1]!.data.plan.victims.map(({ allocation }) => allocation)).toEqual(own.runs['root.p.one']);
  });

  it('of a parent that goes first and a leaf later', async () => {
    const partition = system.partition();
    await oneAndTwo(partition);
    const queues = {
      p: {
        max: { memory: 130 },
        delay: '100ms',
        queues: { one: { max: { memory: 50 }, delay: '5s' }, two: {} },
      },
    };
    const foreseen = await dryRun(partition, queues);
    await partition.configure(queues);
    const runs = await evicted(partition, 'root.p', 'root.p.one');
    expect([runs['root.p']?.length, runs['root.p.one']?.length]).toEqual([7, 1]);
    expect(foreseen.runs).toEqual(runs);
    expect(foreseen.inOrder.map(({ queue, order }) => [order, queue])).toEqual([
      [1, 'root.p'],
      [2, 'root.p.one'],
    ]);
  });

  // The run of the leaf is over before that of its parent is due, on a busy machine too.
  it.each([
    ['before', '12s'],
    ['behind', '200ms'],
  ])('of a leaf whose clock is pending already, and %s which its parent comes', async (when, delay) => {
    const partition = system.partition();
    await oneAndTwo(partition);
    // Time for the dry run and the second configuration.
    const leaf = { one: { max: { memory: 50 }, delay: '6s' }, two: {} };
    await partition.configure({ p: { queues: leaf } });
    await partition.event('EnforcementScheduled', 'root.p.one');
    const queues = { p: { max: { memory: 130 }, delay, queues: leaf } };
    const foreseen = await dryRun(partition, queues);
    await partition.configure(queues);
    const runs = await evicted(partition, 'root.p', 'root.p.one');
    expect(runs['root.p.one']).toHaveLength(when === 'before' ? 5 : 1);
    expect(foreseen.runs).toEqual(runs);
    expect(foreseen.changed.map(({ queue }) => queue)).not.toContain('root.p.one');
    expect(foreseen.pending).toMatchObject([{ queue: 'root.p.one', clock: { effect: 'none' } }]);
    expect(foreseen.victims).toBe(runs['root.p']?.length);
  });

  it('of three levels that are due at once: a run between them leaves its part out', async () => {
    const partition = system.partition();
    await partition.run(
      { queue: 'root.p.m.one', count: 10, resources: ten },
      { queue: 'root.p.m.two', count: 10, resources: ten },
      { queue: 'root.p.side', count: 10, resources: ten },
    );
    const m = { max: { memory: 150 }, queues: { one: { max: { memory: 50 } }, two: {} } };
    const queues = { p: { max: { memory: 210 }, delay: '100ms', queues: { m, side: {} } } };
    const foreseen = await dryRun(partition, queues);
    await partition.configure(queues);
    const runs = await evicted(partition, 'root.p', 'root.p.m', 'root.p.m.one');
    expect(runs['root.p.m']).toEqual([]);
    expect(foreseen.runs).toEqual(runs);
  });
});

describe('the snapshot of a preview', () => {
  let system: EmbeddedSystem;
  beforeAll(async () => {
    system = await EmbeddedSystem.start();
  });
  afterAll(() => system.stop());

  it.each([
    [
      'has no queue beside the planned one',
      'root.p.one',
      {},
      ['root', 'root.p', 'root.p.one', 'root.p.one.x'],
    ],
    [
      'has all queues below the topmost guaranteed amount',
      'root.p.one',
      { guaranteed: ten },
      ['root', 'root.p', 'root.p.one', 'root.p.one.x', 'root.p.two'],
    ],
  ])('%s, as that of the run', async (_, queue, limits, paths) => {
    const partition = system.partition();
    await partition.run({ queue: 'root.p.one.x', count: 2, resources: ten });
    const max = { memory: 100 };
    await partition.configure({
      p: { ...limits, max, queues: { one: { max, queues: { x: {} } }, two: { max } } },
      q: { max, queues: { one: { max } } },
    });
    const scope = { partition: partition.name, queue, mostAllocations: 1000 };
    const ofRun = await takePlanningSnapshot(system.db, system.cluster, scope);
    const queues = new ProposedQueues(await queuesInForce(system.db, partition.name));
    const ofPreview = await takePlanningSnapshot(system.db, system.cluster, { ...scope, queues });
    expect(ofPreview).toEqual({ ...ofRun, takenAt: ofPreview.takenAt });
    expect(ofPreview.queues.map(({ path }) => path)).toEqual(paths);
  });
});

describe('a comparison of alternatives', () => {
  let system: EmbeddedSystem;
  beforeAll(async () => {
    system = await EmbeddedSystem.start();
  });
  afterAll(() => system.stop());

  const compare = async (partition: TestPartition, ...alternatives: object[]): Promise<WhatIf> => {
    const { status, body } = await system.request('POST', '/v1/what-if', {
      partition: partition.name,
      alternatives,
    });
    expect({ status, body }).toMatchObject({ status: 200 });
    return body as unknown as WhatIf;
  };
  const queuesWith = (max: number) => ({
    p: { max: { memory: max }, delay: '100ms', queues: { one: {}, two: {} } },
  });

  it('names those that the run evicts, by queue, owner and application, and changes nothing', async () => {
    const partition = system.partition();
    await oneAndTwo(partition);
    await partition.configure(queuesWith(200));
    await partition.event('EnforcementCancelled', 'root.p');
    const before = await partition.log();
    const { alternatives } = await compare(
      partition,
      { name: 'half', configuration: configuration(partition.name, queuesWith(100)) },
      { name: 'single', quotas: [{ queue: 'ROOT.P', max: { memory: 100 } }] },
      { name: 'broken', configuration: 'partitions: 1' },
    );
    expect(await partition.log()).toEqual(before);
    const [half, single, broken] = alternatives;
    // Quotas keep the delay in force, of which its own configuration warned.
    expect(single).toEqual({
      ...half,
      name: 'single',
      firstDueAt: expect.any(String),
      firstEvictionAt: expect.any(String),
      warnings: [],
    });
    expect(broken).toEqual({ name: 'broken', errors: [expect.objectContaining({ path: 'partitions' })] });
    await partition.configure(queuesWith(100));
    const victims = (await evicted(partition, 'root.p'))['root.p'] ?? [];
    const of = (name: string) => victims.filter((id) => id.startsWith(`${name}-`)).length;
    expect(half).toMatchObject({ victims: 10, changedQuotas: 1, resources: { memory: 100 }, stays: [] });
    expect(victims).toHaveLength(10);
    for (const [groups, prefix] of [
      [half!.byQueue, 'root.p.'],
      [half!.byApplication, ''],
    ] as const) {
      const counts = groups!.items.map(({ name, victims: count }) => [name, count]);
      expect(Object.fromEntries(counts)).toEqual({
        [`${prefix}one`]: of('one'),
        [`${prefix}two`]: of('two'),
      });
    }
    expect(half!.byOwner).toMatchObject({ items: [{ name: '', victims: 10 }], more: 0 });
    // Each has run for almost a day.
    expect(half!.lost!.memory).toBeGreaterThan(100 * 23);
    expect(half!.lost!.memory).toBeLessThan(100 * 24.1);
  });

  it('finds the lowest quota that needs no victim, and what stays above its quota', async () => {
    const partition = system.partition();
    await oneAndTwo(partition);
    await partition.configure(queuesWith(500));
    const lowered = async (memory: number) =>
      (await compare(partition, { name: 'x', quotas: [{ queue: 'root.p', max: { memory } }] }))
        .alternatives[0]!;
    const { lowest } = await lowered(150);
    expect(lowest).toEqual([{ queue: 'root.p', max: { memory: 200 }, text: { memory: '200' } }]);
    expect(await lowered(lowest![0]!.max.memory!)).toMatchObject({ victims: 0, lowest: [] });
    expect(await lowered(199)).toMatchObject({ victims: 1 });

    await partition.configure({ p: { max: { memory: 500 }, queues: { one: {}, two: {} } } });
    expect((await lowered(150)).stays).toEqual([
      { queue: 'root.p', above: { memory: 50 }, because: 'No run: the delay is 0.' },
    ]);
  });

  it('says why nothing would be enforced, and tries a delay', async () => {
    const partition = system.partition();
    await oneAndTwo(partition);
    const without = (memory: number) => ({ p: { max: { memory }, queues: { one: {}, two: {} } } });
    await partition.configure(without(500));
    const quotas = [{ queue: 'root.p', max: { memory: 150 } }];
    const whole = { configuration: configuration(partition.name, without(150)) };
    const off = { configuration: configuration(partition.name, without(150), false) };
    const { alternatives } = await compare(
      partition,
      ...[{ quotas }, whole, off].map((one, at) => ({ name: `${at}`, ...one })),
      ...[{ quotas }, off].map((one, at) => ({ name: `after-${at}`, ...one, delaySeconds: 600 })),
    );
    expect(
      alternatives.map(({ victims, warnings = [] }) => {
        return [victims, ...warnings.map(({ code, message }) => `${code}: ${message.split(':')[0]}`)];
      }),
    ).toEqual([
      [0, 'nothing-enforced: nothing will be enforced, because its delay is 0'],
      [
        0,
        'nothing-enforced: nothing will be enforced, because no queue with a max has a quota.preemption.delay',
      ],
      [
        0,
        'nothing-enforced: nothing will be enforced, because no queue with a max has a quota.preemption.delay, and preemption.quotapreemptionenabled is not true',
        'enforcement-ends: this configuration ends the enforcement of lowered quotas',
      ],
      [5],
      [5, expect.stringContaining('enforcement-ends')],
    ]);
    expect(alternatives.map(({ firstDueAt }) => firstDueAt !== null)).toEqual([
      ...[false, false, false],
      ...[true, true],
    ]);
    // A part of the queues may have a delay: the others are named.
    const some = { ...without(500), q: { max: { memory: 5 }, delay: hour } };
    await partition.configure(some);
    const { body } = await partition.submit(
      configuration(partition.name, { ...some, ...without(400) }),
      '?dryRun=true',
    );
    expect(body.warnings).toMatchObject([{ code: 'nothing-enforced', path: 'root.p' }]);
    const applied = await partition.submit(configuration(partition.name, { ...some, ...without(400) }));
    expect(applied.body.warnings).toEqual(body.warnings);
  });

  it('warns of types that nothing in the cluster has, as a dry run does, and refuses misspelt ones', async () => {
    const partition = system.partition();
    await oneAndTwo(partition);
    const queues = { p: { max: { memory: 500, tape: 5 }, delay: hour, queues: { one: {}, two: {} } } };
    await partition.configure(queues);
    const warning = {
      code: 'unknown-resource-type',
      message: 'nothing in the cluster has "tape", so this limits and guarantees nothing; is the name right?',
    };
    const { alternatives } = await compare(
      partition,
      { name: 'whole', configuration: configuration(partition.name, queues) },
      { name: 'quota', quotas: [{ queue: 'root.p', max: { tape: 1 } }] },
    );
    const dryRun = await partition.submit(configuration(partition.name, queues), '?dryRun=true');
    expect(dryRun.body.warnings).toMatchObject([warning]);
    expect(alternatives[0]!.warnings).toEqual(dryRun.body.warnings);
    expect(alternatives[1]!.warnings).toEqual([
      {
        ...warning,
        path: 'alternatives[1].quotas[0].max.tape',
        about: { kind: 'queue', name: 'root.p' },
      },
    ]);
    const what = await curtail(
      ['--server', system.url, '--no-color', 'what-if', '--partition', partition.name].concat([
        ...['--queue', 'root.p', '--max', 'tape=1'],
      ]),
    );
    expect(what).toMatchObject({ status: 0, stderr: expect.stringContaining(warning.message) });
    for (const [type, hint] of [
      ['mem', 'did you mean memory?'],
      ['memroy', 'did you mean memory?'],
      ['disk', 'write one of memory, tape'],
    ] as const) {
      const { status, body } = await system.request('POST', '/v1/what-if', {
        partition: partition.name,
        alternatives: [{ name: 'x', quotas: [{ queue: 'root.p', max: { [type]: 1 } }] }],
      });
      expect({ status, errors: body.errors }).toEqual({
        status: 400,
        errors: [{ path: `alternatives[0].quotas[0].max.${type}`, message: expect.stringContaining(hint) }],
      });
    }
  });

  it.each([
    [{ queue: 'root.q', max: { memory: 1 } }, 'queue', /no queue root.q is in the configuration/],
    [{ queue: 'root.p', max: { memory: '1X' } }, 'max.memory', /unknown unit/],
    [{ queue: 'root.p', max: { memory: 5 } }, 'max.memory', /below the guaranteed amount of root.p/],
  ])('refuses a quota that cannot be tried: %j', async (quota, field, message) => {
    const partition = system.partition();
    await partition.configure({ p: { max: { memory: 100 }, guaranteed: { memory: 10 }, delay: '1m' } });
    const { status, body } = await system.request('POST', '/v1/what-if', {
      partition: partition.name,
      alternatives: [{ name: 'x', quotas: [quota] }],
    });
    expect(status).toBe(400);
    expect(body.errors).toEqual([
      { path: `alternatives[0].quotas[0].${field}`, message: expect.stringMatching(message) },
    ]);
  });
});

describe('a dry run states what each plan waits for', () => {
  let system: EmbeddedSystem;
  beforeAll(async () => {
    system = await EmbeddedSystem.start({ approveAboveVictims: 4 });
  });
  afterAll(() => system.stop());
  const stop = (partition: TestPartition, queue?: string) =>
    system.request('POST', '/v1/kill-switch', {
      partition: partition.name,
      queue,
      by: 'ada',
      reason: 'audit',
    });

  it('an approval, by the rule of the executor; the leaf below waits for that run', async () => {
    const partition = system.partition();
    await oneAndTwo(partition);
    const queues = {
      p: {
        max: { memory: 130 },
        delay: '100ms',
        queues: { one: { max: { memory: 50 }, delay: '300ms' }, two: {} },
      },
    };
    const foreseen = await dryRun(partition, queues);
    expect(foreseen.inOrder).toMatchObject([
      { queue: 'root.p', waitsFor: [{ for: 'approval', because: expect.stringContaining('7 victims') }] },
      { queue: 'root.p.one', waitsFor: [{ for: 'ancestor', queue: 'root.p' }] },
    ]);
    await partition.configure(queues);
    const { data } = await partition.event('EnforcementOpened', 'root.p');
    expect(foreseen.inOrder[0]?.waitsFor?.[0]?.because).toBe(data.approvalReason);
    await partition.handled();
    // In the preview of a further change the run is in progress: its change is skipped, and the leaf waits for it.
    const again = await dryRun(partition, {
      p: {
        ...queues.p,
        max: { memory: 110 },
        queues: { one: { max: { memory: 40 }, delay: '1s' }, two: {} },
      },
    });
    expect(again.changed[0]).toMatchObject({
      queue: 'root.p',
      clock: { effect: 'none', because: expect.stringContaining(data.enforcement) },
    });
    expect(again.inOrder).toMatchObject([
      { queue: 'root.p.one', waitsFor: [{ for: 'ancestor', queue: 'root.p' }] },
    ]);
    await system.request('POST', `/v1/enforcements/${data.enforcement}/approve`, {});
    expect(await evicted(partition, 'root.p', 'root.p.one')).toEqual(foreseen.runs);
  });

  it('an approval by the settings of the queue, whose work is evicted with its own grace, or protected', async () => {
    const partition = system.partition();
    await oneAndTwo(partition);
    const evict = system.cluster.evict.bind(system.cluster);
    const graces = new Map<string, number>();
    system.cluster.evict = (request, gate) => {
      graces.set(request.allocation, request.graceSeconds);
      return evict(request, gate);
    };
    const queues = {
      p: {
        max: { memory: 180 },
        delay: '100ms',
        properties: { 'curtail.approveAboveVictims': 1, 'curtail.graceSeconds': 1 },
        queues: {
          one: { properties: { 'curtail.graceSeconds': 0 } },
          two: { properties: { 'curtail.protect': { allocations: ['two-10'] } } },
        },
      },
    };
    try {
      const foreseen = await dryRun(partition, queues);
      expect(foreseen.inOrder).toMatchObject([
        { queue: 'root.p', waitsFor: [{ for: 'approval', because: expect.stringContaining('2 victims') }] },
      ]);
      await partition.configure(queues);
      const { data } = await partition.event('EnforcementOpened', 'root.p');
      expect(data.needsApproval).toBe(true);
      expect(foreseen.inOrder[0]?.waitsFor?.[0]?.because).toBe(data.approvalReason);
      await partition.handled();
      await system.request('POST', `/v1/enforcements/${data.enforcement}/approve`, {});
      const runs = await evicted(partition, 'root.p');
      expect(runs).toEqual(foreseen.runs);
      expect(runs['root.p']?.toSorted()).toEqual(['one-10', 'two-9']);
      expect([graces.get('one-10'), graces.get('two-9')]).toEqual([0, 1]);
    } finally {
      system.cluster.evict = evict;
    }
  });

  it('a stop: it holds the clock below it, and spares the victims of a run above', async () => {
    const partition = system.partition();
    await oneAndTwo(partition);
    const queues = {
      p: {
        max: { memory: 180 },
        delay: hour,
        queues: { one: { max: { memory: 90 }, delay: hour }, two: {} },
      },
    };
    await stop(partition, 'root.p.one');
    const foreseen = await dryRun(partition, queues);
    expect(foreseen.inOrder).toMatchObject([
      { queue: 'root.p', order: 1, waitsFor: [], held: ['one-10'] },
      {
        queue: 'root.p.one',
        order: 2,
        waitsFor: [{ for: 'stop', queue: 'root.p.one', because: expect.stringContaining('ada') }],
      },
    ]);
    const { body } = await system.request('POST', '/v1/what-if', {
      partition: partition.name,
      alternatives: [{ name: 'x', configuration: configuration(partition.name, queues) }],
    });
    // The clock below the stop still needs the victim that the run above spares.
    expect((body as unknown as WhatIf).alternatives).toMatchObject([{ victims: foreseen.victims, held: 0 }]);
    const { one: _, ...others } = { ...queues.p.queues };
    const { body: spared } = await system.request('POST', '/v1/what-if', {
      partition: partition.name,
      alternatives: [
        {
          name: 'x',
          configuration: configuration(partition.name, {
            p: { ...queues.p, queues: { one: {}, ...others } },
          }),
        },
      ],
    });
    // Without a clock of its own it only loses the spared victim of the run above.
    expect((spared as unknown as WhatIf).alternatives).toMatchObject([{ victims: 1, held: 1 }]);
    await stop(partition);
    const all = await dryRun(partition, queues);
    expect(all.inOrder.map(({ waitsFor }) => waitsFor?.map((wait) => wait.for))).toEqual([
      ['stop'],
      ['stop'],
    ]);
  });

  it('a ceiling that its runs would exceed together, as does a comparison', async () => {
    const partition = system.partition();
    await oneAndTwo(partition);
    const queues = {
      p: { queues: { one: { max: { memory: 70 }, delay: hour }, two: { max: { memory: 70 }, delay: hour } } },
    };
    await partition.configure({ p: { queues: { one: {}, two: {} } } });
    const alternatives = [{ name: 'x', configuration: configuration(partition.name, queues) }];
    const foreseen = async (settings: object) => {
      await system.request('PATCH', `/v1/partitions/${partition.name}/settings`, { queue: 'root', settings });
      const { inOrder, ceiling } = await dryRun(partition, queues);
      expect(inOrder.map(({ waitsFor }) => waitsFor)).toEqual([[], []]);
      const { body } = await system.request('POST', '/v1/what-if', {
        partition: partition.name,
        alternatives,
      });
      expect((body as unknown as WhatIf).alternatives).toMatchObject([{ victims: 6, ceiling }]);
      return ceiling;
    };
    expect(await foreseen({ ceilingPerConfiguration: 6, ceilingPerHour: 6 })).toBeNull();
    expect(await foreseen({ ceilingPerConfiguration: 5 })).toEqual({
      code: 'ceiling-configuration',
      message: 'The runs of this change would have 6 victims; more than 5 need approval.',
      about: { kind: 'partition', name: partition.name },
    });
    expect(await foreseen({ ceilingPerConfiguration: null, ceilingPerHour: 5 })).toMatchObject({
      code: 'ceiling-hour',
    });
    expect(await foreseen({ ceilingPerHour: null, ceilingClusterPercent: 1 })).toMatchObject({
      code: 'ceiling-cluster',
    });
    await partition.setMode('observe');
    expect(await dryRun(partition, queues)).toMatchObject({ ceiling: null });
  });

  it('a partition that is only observed evicts no one, and one that is off plans nothing', async () => {
    const partition = system.partition();
    await oneAndTwo(partition);
    await partition.setMode('observe');
    const queues = { p: { max: { memory: 180 }, delay: hour, queues: { one: {}, two: {} } } };
    expect(await dryRun(partition, queues)).toMatchObject({
      victims: 0,
      inOrder: [{ queue: 'root.p', waitsFor: [{ for: 'mode' }], plan: { outcome: 'satisfied' } }],
    });
    await partition.configure(queues);
    await partition.event('EnforcementScheduled', 'root.p');
    const off = await dryRun(partition, queues, false);
    expect(off).toMatchObject({
      changed: [],
      pending: [{ queue: 'root.p', waitsFor: [{ for: 'switch' }] }],
    });
    expect(off.pending[0]).not.toHaveProperty('plan');
  });
});
