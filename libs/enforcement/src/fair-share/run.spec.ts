import { describe, expect, it } from '@jest/globals';
import type { Plan, Victim } from '#contracts';
import { atMs, control, planned, Run, summarize } from '../../testing/run-scenario.js';
import { victimNotifiedEvent } from '../run/victim-events.js';
import type { LiveNeed, Starving } from './live-need.js';

const second = 1000;

/** Of the operation `shop`, which wants allocations of 20. */
const starving = (...states: Starving[]): LiveNeed => ({
  operation: { queue: 'root.web.shop', pending: [{ resources: { memory: 20 }, count: 5 }] },
  starving: states.length > 0 ? states : [{ kind: 'operation', name: 'shop', state: 'starving' }],
});

interface Shape {
  /** The ranks that make room for each start, on the nodes n1, n2 … */
  starts: number[][];
  graceMs?: number[];
  settings?: Record<string, unknown>;
  victims?: Partial<Victim>;
  deadlineSeconds?: number;
}

/** A run of fair-share: victims `v1` …, each of 10, in `root.a.b`. */
function opened({ starts, graceMs = [], settings = {}, victims = {}, deadlineSeconds = 60 }: Shape): Run {
  const count = Math.max(...starts.flat());
  const event = planned(Array(count).fill(10), {}, { settings, queue: 'root', max: null });
  if (event.name !== 'PlanComputed') throw new Error('it is a plan');
  const plan = event.data.plan as Plan;
  plan.policy = 'fair-share';
  plan.target = {};
  plan.starts = starts.map((ranks, i) => ({
    operation: 'shop',
    pending: 0,
    node: `n${i + 1}`,
    resources: { memory: 20 },
    victims: ranks.map((rank) => `v${rank}`),
  }));
  plan.victims = plan.victims.map((victim) => ({
    ...victim,
    node: `n${starts.findIndex((ranks) => ranks.includes(victim.rank)) + 1}`,
    cause: 'starvation',
    preemptedFor: 'shop',
    gracePeriodMs: graceMs[victim.rank - 1] ?? 0,
    ...victims,
  }));
  const run = new Run(event, { max: null, deadlineSeconds });
  run.need = starving();
  return run;
}

/** Asks the next victim to finish. */
function ask(run: Run): number[] {
  const step = run.step();
  if (step.kind !== 'notify') throw new Error(`the step is ${JSON.stringify(step)}`);
  run.append(
    step.victims.map((victim) =>
      victimNotifiedEvent(run.state, victim.rank, {
        notifiedAt: atMs(run.now),
        killAt: atMs(run.now + (victim.gracePeriodMs ?? 0)),
      }),
    ),
  );
  return step.victims.map(({ rank }) => rank);
}

describe('a run of fair-share', () => {
  it('kills victims without a grace period, asks the others to finish, and kills them when their time is over', () => {
    const run = opened({ starts: [[1, 2]], graceMs: [10 * second, 0] });
    expect(ask(run)).toEqual([1]);
    expect(summarize(run.drive())).toEqual(['VictimOrdered 2', 'VictimEvicted 2']);
    expect(run.step()).toEqual({ kind: 'wait', for: 'grace', until: atMs(10 * second) });
    run.becomes({ now: 10 * second });
    expect(summarize(run.drive())).toEqual([
      'VictimOrdered 1',
      'VictimEvicted 1',
      'EnforcementEnded satisfied',
    ]);
  });

  it('asks no victim to finish that it could not kill before its deadline', () => {
    const run = opened({ starts: [[1]], graceMs: [10 * second], deadlineSeconds: 10 });
    expect(summarize(run.drive())).toEqual(['VictimSpared 1 deadline', 'EnforcementEnded impossible']);
    const early = opened({ starts: [[1]], graceMs: [10 * second], deadlineSeconds: 11 });
    expect(ask(early)).toEqual([1]);
  });

  it('waits for a retry, not for the end of a time to finish that is over', () => {
    const run = opened({ starts: [[1]], graceMs: [second] });
    ask(run);
    run.becomes({ now: second });
    run.answer(run.order(), { kind: 'refused', retryable: true, code: 'busy', message: 'later' });
    expect(run.step()).toEqual({ kind: 'wait', for: 'back-off', until: atMs(2 * second) });
  });
});

describe('the victims of a start that needs two to go', () => {
  const stop = { queue: 'root.held', by: 'ada' };
  const isHeld = (run: Run) => {
    const plan = run.state.planned!.plan;
    plan.victims[1]!.queue = 'root.held';
    run.set('v2', { queue: 'root.held' });
    run.becomes({ control: control({ stops: [stop] }) });
  };

  it.each<[string, (run: Run) => void, string]>([
    ['is below a kill switch', isHeld, 'stopped'],
    ['has moved to another queue', (run) => run.set('v2', { queue: 'root.a.c' }), 'moved'],
    ['has moved to another node', (run) => run.set('v2', { node: 'n9' }), 'moved'],
  ])('all stay where one %s', (_, happens, code) => {
    const run = opened({ starts: [[1, 2], [3]] });
    happens(run);
    expect(summarize(run.drive())).toEqual([
      'VictimSpared 1 start-lost',
      `VictimSpared 2 ${code}`,
      'VictimOrdered 3',
      'VictimEvicted 3',
      'EnforcementEnded best-effort',
    ]);
    expect(run.log[2]).toMatchObject({
      data: { message: expect.stringContaining('because v2 stays there') },
    });
  });

  it('go without one that left by itself', () => {
    const run = opened({ starts: [[1, 2]] });
    run.set('v2', null);
    expect(summarize(run.drive())).toContain('VictimEvicted 1');
  });

  it('are spared when the eviction of one fails, and not ordered while that is tried again', () => {
    const run = opened({ starts: [[1, 2], [3]] });
    const refused = { kind: 'refused', code: 'busy', message: 'not now' } as const;
    run.answer(run.order(), { ...refused, retryable: true });
    const other = run.order();
    expect(other.allocation).toBe('v3');
    run.answer(other);
    expect(run.step()).toEqual({ kind: 'wait', for: 'back-off', until: atMs(second) });
    run.becomes({ now: second });
    run.answer(run.order(), { ...refused, retryable: false });
    expect(summarize(run.drive())).toEqual(['VictimSpared 2 start-lost', 'EnforcementEnded best-effort']);
  });

  it('all stay where one could no longer be asked to finish before the deadline', () => {
    const run = opened({ starts: [[1, 2]], graceMs: [0, 10 * second], deadlineSeconds: 10 });
    expect(summarize(run.drive())).toEqual([
      'VictimSpared 1 start-lost',
      'VictimSpared 2 start-lost',
      'EnforcementEnded impossible',
    ]);
  });

  it.each([
    ['moved', { queue: 'root.a.c' }],
    ['protected', { protected: true }],
  ])('are spared when one is found to stay only after its time to finish: %s', (code, live) => {
    const run = opened({ starts: [[1, 2]], graceMs: [10 * second, 10 * second] });
    expect([...ask(run), ...ask(run)]).toEqual([1, 2]);
    run.set('v2', live);
    run.becomes({ now: 10 * second });
    expect(summarize(run.drive()).slice(0, 2)).toEqual([
      'VictimSpared 1 start-lost',
      `VictimSpared 2 ${code}`,
    ]);
  });

  it('are all checked before the first is asked and before the first is evicted, and not each time', () => {
    const run = opened({ starts: [[1, 2, 3]], graceMs: [10 * second, 10 * second, 10 * second] });
    const checked: number[][] = [];
    const besideOf = () => {
      const step = run.ask();
      if (step.kind === 'check') checked.push(step.beside.map(({ rank }) => rank));
    };
    for (let i = 0; i < 3; i++) {
      besideOf();
      ask(run);
    }
    run.becomes({ now: 10 * second });
    for (let i = 0; i < 3; i++) {
      besideOf();
      run.answer(run.order());
    }
    expect(checked).toEqual([[2, 3], [], [], [2, 3], [], []]);
  });

  it('keeps to it after a crash between the order and its answer', () => {
    const run = opened({ starts: [[1, 2]] });
    run.order();
    run.crash();
    run.set('v2', { node: 'n9' });
    expect(summarize(run.drive()).slice(0, 2)).toEqual(['VictimSpared 1 start-lost', 'VictimSpared 2 moved']);
  });
});

describe('whether a victim of fair-share is needed still', () => {
  const web = (state: Starving['state']): Starving => ({ kind: 'pool', name: 'root.web', state });
  const shop = (state: Starving['state']): Starving => ({ kind: 'operation', name: 'shop', state });
  const after = (need: LiveNeed, shape: Partial<Shape> = {}) => {
    const run = opened({ starts: [[1]], ...shape });
    run.need = need;
    return summarize(run.drive())[0];
  };
  const kept = 'VictimOrdered 1';
  const spared = 'VictimSpared 1 no-longer-needed';
  const aggressively = { victims: { cause: 'aggressive-starvation' } } as const;
  const own = { settings: { schedulingPreemptionPriorityScope: 'operation_only' } };

  it.each<[string, LiveNeed, Partial<Shape>, string]>([
    ['it starves', starving(shop('starving')), {}, kept],
    ['a pool above it does', starving(web('starving')), {}, kept],
    ['a pool above it does, which does not count', starving(web('starving')), own, spared],
    ['another pool does', starving({ kind: 'pool', name: 'root.shops', state: 'starving' }), {}, spared],
    ['neither starves', { ...starving(), starving: [] }, {}, spared],
    ['it has ended', { ...starving(), operation: undefined }, {}, spared],
    [
      'it waits for nothing',
      { ...starving(), operation: { queue: 'root.web.shop', pending: [] } },
      {},
      spared,
    ],
    ['it starves aggressively', starving(shop('aggressively_starving')), aggressively, kept],
    ['it does so less than it did', starving(shop('starving')), aggressively, spared],
    [
      'its own state counts before that of its pool',
      starving(shop('starving'), web('aggressively_starving')),
      aggressively,
      spared,
    ],
    ['its pool starves aggressively', starving(web('aggressively_starving')), aggressively, kept],
  ])('%s', (_, need, shape, expected) => {
    expect(after(need, shape)).toBe(expected);
  });

  it('kills for no more starts than are still waited for', () => {
    const run = opened({ starts: [[1, 2], [3], [4]] });
    run.need = {
      ...starving(),
      operation: { queue: 'root.web.shop', pending: [{ resources: { memory: 20 }, count: 2 }] },
    };
    expect(summarize(run.drive()).filter((line) => !line.startsWith('VictimOrdered'))).toEqual([
      'VictimEvicted 1',
      'VictimEvicted 2',
      'VictimEvicted 3',
      'VictimSpared 4 no-longer-needed',
      'EnforcementEnded best-effort',
    ]);
  });

  it.each<[Victim['cause'], object[], string]>([
    ['overcommit', [{ memory: 1 }], kept],
    ['overcommit', [{ vcore: 1 }], spared],
    ['overcommit', [{}], spared],
    ['resource-limits', [{}, { memory: 3 }], kept],
    ['resource-limits', [{}, {}], spared],
  ])('of %s, which is over by %j', (cause, over, expected) => {
    const run = opened({ starts: [[1]], victims: { cause } });
    run.state.planned!.plan.starts = [];
    run.need = { over: over as { memory: number }[] };
    expect(summarize(run.drive())[0]).toBe(expected);
  });
});

describe('the node of a start', () => {
  const node = {
    capacity: { memory: 100 },
    labels: { zone: 'a' },
    schedulable: true,
    usage: { memory: 105 },
    inFlight: { memory: 5 },
  };
  const on = (more: Partial<typeof node> | null, pending?: object[]): Run => {
    const run = opened({ starts: [[1, 2]] });
    const need = starving() as Extract<LiveNeed, { starving: unknown }>;
    run.need = { ...need, node: more && { ...node, ...more } };
    if (pending) run.need.operation = { queue: 'root.web.shop', pending: pending as never };
    return run;
  };
  const size = { resources: { memory: 20 }, count: 1 };

  it.each<[string, Partial<typeof node> | null, RegExp]>([
    ['is gone', null, /no longer start on n1 .*: that node is gone/],
    ['no longer accepts work', { schedulable: false }, /that node no longer accepts work/],
    [
      'was given to others meanwhile',
      { usage: { memory: 106 } },
      /of memory 19 would be free there, and 20 is asked/,
    ],
    ['holds less than before', { capacity: { memory: 60 } }, /of memory 0 would be free there/],
  ])('%s: evicts none of them', (_, more, message) => {
    const run = on(more);
    expect(summarize(run.drive()).slice(0, 2)).toEqual([
      'VictimSpared 1 start-lost',
      'VictimSpared 2 start-lost',
    ]);
    expect(run.log[2]).toMatchObject({ data: { message: expect.stringMatching(message) } });
  });

  it('has room when both are gone: the first goes, and once that is on its way out the second', () => {
    const run = on({});
    run.answer(run.order());
    run.need = { ...run.need!, node: { ...node, inFlight: { memory: 15 } } } as LiveNeed;
    expect(summarize(run.drive())).toEqual([
      'VictimOrdered 2',
      'VictimEvicted 2',
      'EnforcementEnded satisfied',
    ]);
  });

  it.each<[string, object[], string]>([
    ['any node', [size], 'VictimEvicted 1'],
    ['a label that it has', [{ ...size, nodeSelector: { zone: 'a' } }], 'VictimEvicted 1'],
    ['another label', [{ ...size, nodeSelector: { zone: 'b' } }], 'VictimSpared 1 no-longer-needed'],
  ])('is for an ask that may go to %s', (_, pending, expected) => {
    expect(summarize(on({}, pending).drive())).toContain(expected);
  });
});

it('an order whose request may still be carried out is not spared before that is over', () => {
  const run = opened({ starts: [[1]] });
  run.order();
  run.crash();
  run.need = { ...starving(), starving: [] } as LiveNeed;
  const step = run.ask();
  expect(step).toMatchObject({ kind: 'check', evictionId: 'e1-1-1' });
  const openUntil = atMs(5 * second);
  const facts = { ...run.facts(1), openUntil } as never;
  expect(run.step(facts)).toEqual({ kind: 'wait', for: 'cluster', until: openUntil });
  run.becomes({ now: 5 * second });
  expect(run.step(facts)).toMatchObject({ kind: 'append', events: [{ name: 'VictimSpared' }] });
});
