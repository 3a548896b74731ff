import { describe, expect, it } from '@jest/globals';
import { atMs, control, planned, Run, summarize, withUnits } from '../../testing/run-scenario.js';
import { mostInUnit } from './gangs.js';

const gangOf = (...amounts: number[]) => {
  const ranks = amounts.map((_, i) => i + 1);
  return new Run(withUnits(planned(amounts), ranks));
};
/** Records the next step, and returns its kills. */
const orderPage = (run: Run) => {
  const step = run.step();
  if (step.kind !== 'order' && step.kind !== 'append') throw new Error(`the step is ${step.kind}`);
  run.append(step.events);
  return step.kind === 'order' ? step.kills : [];
};
const spared = (run: Run) =>
  run.log.flatMap(({ name, data }) => (name === 'VictimSpared' && 'code' in data ? [data] : []));

describe('a unit', () => {
  it('is ordered in one step, although one of its victims alone would be enough and pages are smaller', () => {
    const run = gangOf(60, 60, 60);
    run.used = { memory: 180 };
    expect(run.step()).toMatchObject({ kind: 'order', kills: [{ rank: 1 }, { rank: 2 }, { rank: 3 }] });
  });

  it('is a page of its own, between victims that go alone', () => {
    const run = new Run(withUnits(planned([1, 1, 1, 1, 1, 1]), [3, 4, 5]));
    run.control = control({ limits: { ...control().limits, victimsAtOnce: 64 } });
    const pages: number[][] = [];
    for (let step = run.step(); step.kind === 'order'; step = run.step()) {
      pages.push(step.kills.map(({ rank }) => rank));
      run.append(step.events);
      for (const kill of step.kills) run.answer(kill);
    }
    expect(pages).toEqual([[1, 2], [3, 4, 5], [6]]);
  });

  it('is ordered although one of its victims uses no type of the target', () => {
    const run = gangOf(20, 20);
    run.set('v2', { resources: { 'nvidia.com/gpu': 1 } });
    expect(run.step()).toMatchObject({ kind: 'order', kills: [{ rank: 1 }, { rank: 2 }] });
  });

  it('stays if no victim of it is needed any more', () => {
    const run = gangOf(20, 30);
    run.used = { memory: 30 };
    expect(summarize(run.drive())).toEqual([
      'VictimSpared 1 no-longer-needed',
      'VictimSpared 2 no-longer-needed',
      'EnforcementEnded satisfied',
    ]);
  });

  it('stays completely if the floor holds for a part of it only', () => {
    const run = gangOf(10, 10, 10);
    run.guaranteed = { 'root.a.b': { memory: 60 } };
    expect(summarize(run.drive()).slice(0, 3)).toEqual(
      ['VictimSpared 3 guaranteed-floor', 'VictimSpared 1 gang', 'VictimSpared 2 gang'].sort(),
    );
    expect(spared(run)[0]).toMatchObject({
      message:
        'Application app is evicted as a whole or not at all: v3 stays. root.a.b would fall to memory 50, below its guaranteed 60.',
      about: { kind: 'application', name: 'app', queue: 'root.a.b' },
    });
  });

  it('goes without the victims that are gone already', () => {
    const run = gangOf(10, 10, 10);
    run.set('v2', null);
    run.set('v3', { state: 'releasing' });
    expect(summarize(run.drive()).slice(0, 4)).toEqual([
      'VictimOrdered 1',
      'VictimGone 2 gone',
      'VictimGone 3 leaving',
      'VictimEvicted 1',
    ]);
  });

  it('follows once its first victims were evicted, although the quota is met by then', () => {
    const run = gangOf(30, 30, 30);
    const [first, second, third] = orderPage(run);
    run.answer(first!);
    run.answer(second!, { kind: 'refused', retryable: true, code: 'busy', message: 'Not now.' });
    run.answer(third!);
    run.used = { memory: 20 };
    run.now = 1000;
    expect(summarize(run.drive())).toEqual([
      'VictimOrdered 2',
      'VictimEvicted 2',
      'EnforcementEnded satisfied',
    ]);
  });

  it('keeps a guaranteed amount even after its first victims were evicted', () => {
    const run = gangOf(30, 30);
    const kills = orderPage(run);
    run.answer(kills[0]!);
    run.answer(kills[1]!, { kind: 'refused', retryable: true, code: 'busy', message: 'Not now.' });
    run.becomes({ now: 1000, used: { memory: 50 }, guaranteed: { 'root.a.b': { memory: 30 } } });
    expect(summarize(run.drive())[0]).toBe('VictimSpared 2 guaranteed-floor');
  });

  it('is asked for again as a whole if all of it was refused: once the last of its pauses is over', () => {
    const run = gangOf(10, 10);
    const refuse = (retryAfterMs: number) =>
      ({ kind: 'refused', retryable: true, code: 'busy', message: 'No.', retryAfterMs }) as const;
    const kills = orderPage(run);
    run.answer(kills[0]!, refuse(1000));
    run.answer(kills[1]!, refuse(5000));
    run.now = 2000;
    expect(run.step()).toEqual({ kind: 'wait', for: 'back-off', until: atMs(5000) });
    run.now = 5000;
    expect(run.step()).toMatchObject({ kind: 'order', kills: [{ rank: 1 }, { rank: 2 }] });
  });

  it('stays if one of its victims cannot be evicted and none was', () => {
    const run = gangOf(10, 10);
    const kills = orderPage(run);
    run.answer(kills[0]!, { kind: 'refused', retryable: true, code: 'busy', message: 'Not now.' });
    run.answer(kills[1]!, { kind: 'refused', retryable: false, code: 'never', message: 'Never.' });
    run.now = 1000;
    expect(summarize(run.drive())[0]).toBe('VictimSpared 1 gang');
    expect(spared(run)[0]!.message).toBe(
      'Application app is evicted as a whole or not at all: the eviction of v2 failed.',
    );
  });

  const extend = (run: Run, rank: number, untilMs: number, seconds = 600): void =>
    run.append([
      {
        name: 'OwnerAnswered',
        data: {
          ...{ partition: 'default', queue: 'root.a.b', allocation: `v${rank}`, uid: `uid-${rank}` },
          ...{ application: 'app', answer: 'extend', id: `x${rank}`, by: 'ann', answeredAt: atMs(run.now) },
          ...{ enforcement: 'e1', seconds, until: atMs(untilMs) },
        },
      },
    ]);

  it('waits as a whole until the last extension of its victims is over', () => {
    const run = gangOf(10, 10, 10);
    extend(run, 2, 5000);
    extend(run, 3, 8000);
    expect(run.step()).toEqual({ kind: 'wait', for: 'extension', until: atMs(8000) });
    run.now = 8000;
    expect(run.step()).toMatchObject({ kind: 'order', kills: [{ rank: 1 }, { rank: 2 }, { rank: 3 }] });
  });

  it('waits as a whole for an extension that one of its refused victims gets after it has begun', () => {
    const run = gangOf(10, 10, 10);
    const kills = orderPage(run);
    run.answer(kills[0]!);
    for (const kill of kills.slice(1))
      run.answer(kill, { kind: 'refused', retryable: true, code: 'busy', message: 'Not now.' });
    extend(run, 2, 60_000);
    run.now = 30_000;
    expect(run.step()).toEqual({ kind: 'wait', for: 'extension', until: atMs(60_000) });
    run.now = 60_000;
    expect(run.step()).toMatchObject({ kind: 'order', kills: [{ rank: 2 }, { rank: 3 }] });
  });

  it('waits as a whole if one of its victims got an extension between its orders and their requests', () => {
    const run = gangOf(10, 10, 10);
    orderPage(run);
    extend(run, 3, 60_000);
    run.carriedOut = false;
    expect(summarize(run.drive())).toEqual([
      'VictimRefused 1 extended',
      'VictimRefused 2 extended',
      'VictimRefused 3 extended',
    ]);
    expect(run.log.slice(-3).map(({ data }) => 'message' in data && data.message)).toEqual([
      'The owner of v3, which is evicted together with it, extended its time until 2026-11-21T10:01:00.000Z.',
      'The owner of v3, which is evicted together with it, extended its time until 2026-11-21T10:01:00.000Z.',
      'Its owner extended its time until 2026-11-21T10:01:00.000Z.',
    ]);
    expect(run.step()).toEqual({ kind: 'wait', for: 'extension', until: atMs(60_000) });
    run.now = 60_000;
    expect(run.step()).toMatchObject({ kind: 'order', kills: [{ rank: 1 }, { rank: 2 }, { rank: 3 }] });
  });

  it('is resolved after a crash between its orders and their requests: all of it goes', () => {
    const run = gangOf(30, 30);
    orderPage(run);
    run.crash();
    run.used = { memory: 20 };
    run.carriedOut = false;
    expect(summarize(run.drive()).slice(0, 2)).toEqual(['VictimEvicted 1', 'VictimEvicted 2']);
  });

  it('is kept in part by an operator who stops between its requests', () => {
    const run = gangOf(30, 30);
    const kills = orderPage(run);
    run.answer(kills[0]!);
    run.control = control({ stops: [{ queue: 'root.a.b', by: 'ann' }] });
    run.carriedOut = false;
    expect(summarize(run.drive())).toEqual(['VictimSpared 2 stopped', 'EnforcementEnded best-effort']);
  });

  it('waits until the rate leaves room for all of it; one that is larger than the rate, until nothing was ordered for a second', () => {
    const run = new Run(withUnits(planned([1, 1, 1, 1, 1, 1, 1, 1]), [2, 3], [4, 5, 6, 7, 8]));
    run.control = control({ limits: { ...control().limits, victimsPerSecond: 2 } });
    run.answer(run.order());
    run.now = 300;
    expect(run.step()).toEqual({ kind: 'wait', for: 'rate', until: atMs(1000) });
    run.now = 1000;
    expect(summarize(run.drive())).toEqual([
      'VictimOrdered 2',
      'VictimOrdered 3',
      'VictimEvicted 2',
      'VictimEvicted 3',
    ]);
    expect(run.step()).toEqual({ kind: 'wait', for: 'rate', until: atMs(2000) });
    run.now = 2000;
    expect(run.step()).toMatchObject({ kind: 'order', kills: { length: 5 } });
  });

  it('stays if it has more victims than go in one step', () => {
    const run = new Run(
      withUnits(
        planned(Array.from({ length: mostInUnit + 1 }, () => 1)),
        Array.from({ length: mostInUnit + 1 }, (_, i) => i + 1),
      ),
    );
    run.used = { memory: 5000 };
    expect(run.drive().every(({ name }) => name === 'VictimSpared' || name === 'EnforcementEnded')).toBe(
      true,
    );
    expect(spared(run)).toHaveLength(mostInUnit + 1);
    expect(spared(run)[0]!.message).toBe(
      'Application app is evicted as a whole or not at all: it has 1001 victims, and at most 1000 are evicted in one step.',
    );
  });
});

describe('a gang', () => {
  const withGang = (run: Run, minMembers: number, members: string[]) => {
    run.care = () => ({ gang: { minMembers, members } });
    return run;
  };

  it('gives up surplus, and no member below its minimum', () => {
    const run = withGang(new Run(planned([10, 10, 10])), 3, ['uid-1', 'uid-2', 'uid-3', 'w1', 'w2']);
    expect(summarize(run.drive()).filter((one) => !one.startsWith('VictimOrdered'))).toEqual([
      'VictimEvicted 1',
      'VictimEvicted 2',
      'VictimSpared 3 gang',
      'EnforcementEnded best-effort',
    ]);
    expect(spared(run)[0]).toMatchObject({
      message: 'Application app would run with 2 members, and needs 3.',
      about: { kind: 'application', name: 'app', queue: 'root.a.b' },
    });
  });

  it('that has lost a member since the plan has no surplus any more', () => {
    const run = withGang(new Run(planned([10])), 3, ['uid-1', 'w1', 'w2']);
    expect(summarize(run.drive())[0]).toBe('VictimSpared 1 gang');
  });

  it('stays as a whole if members beside its unit would be left with too few', () => {
    const run = withGang(gangOf(10, 10), 2, ['uid-1', 'uid-2', 'w1']);
    expect(summarize(run.drive()).slice(0, 2)).toEqual(['VictimSpared 1 gang', 'VictimSpared 2 gang']);
  });

  it.each([
    ['enough members beside its unit', ['uid-1', 'uid-2', 'w1', 'w2'], {}],
    ['no members beside its unit', ['uid-1', 'uid-2'], {}],
    ['a member that ended: the rest is of no use', ['uid-2'], {}],
    ['the setting ignore', ['uid-1', 'uid-2', 'w1'], { gangs: 'ignore' }],
  ])('goes with %s', (_, members, settings) => {
    const run = withGang(new Run(withUnits(planned([10, 10], {}, { settings }), [1, 2])), 2, members);
    if (!members.includes('uid-1')) run.set('v1', null);
    expect(summarize(run.drive()).at(-2)).toMatch(/^VictimEvicted/);
  });

  it('is never touched below its minimum with the setting spare', () => {
    const run = withGang(new Run(planned([10], {}, { settings: { gangs: 'spare' } })), 1, ['uid-1']);
    expect(summarize(run.drive())[0]).toBe('VictimSpared 1 gang');
  });
});

describe('a disruption budget', () => {
  const withBudgets = (run: Run, left: Record<string, number>, ...of: string[][]) => {
    for (const [i, budgets] of of.entries()) run.set(`v${i + 1}`, { budgets });
    const budgets = { left: new Map(Object.entries(left)), of: new Map(of.map((ids, i) => [i + 1, ids])) };
    run.care = () => ({ budgets });
    return run;
  };
  const page = control({ limits: { ...control().limits, victimsAtOnce: 64 } });

  it('spares those that it has nothing left for, also within a page', () => {
    const run = withBudgets(new Run(planned([10, 10, 10])), { web: 1 }, ['web'], ['web'], []);
    run.control = page;
    const kills = orderPage(run);
    expect(kills).toMatchObject([{ rank: 1 }]);
    run.answer(kills[0]!);
    withBudgets(run, { web: 0 }, ['web'], ['web'], []);
    orderPage(run);
    expect(spared(run)[0]).toMatchObject({
      rank: 2,
      code: 'disruption-budget',
      message: 'Disruption budget web allows no more evictions.',
    });
  });

  it('is not asked about victims that the plan took over it, nor with the setting ignore', () => {
    const over = planned([10]);
    if (over.name === 'PlanComputed') over.data.plan.victims[0]!.overBudget = ['web'];
    expect(withBudgets(new Run(over), { web: 0 }, ['web']).step()).toMatchObject({ kind: 'order' });
    const ignoring = planned([10], {}, { settings: { disruptionBudgets: 'ignore' } });
    expect(withBudgets(new Run(ignoring), { web: 0 }, ['web']).step()).toMatchObject({ kind: 'order' });
    expect(withBudgets(new Run(planned([10])), { web: 0 }, ['web']).step()).toMatchObject({ kind: 'append' });
  });

  it('keeps a whole unit that it has too little left for', () => {
    const run = withBudgets(gangOf(10, 10, 10), { web: 2 }, ['web'], ['web'], ['web']);
    expect(summarize(run.drive()).slice(0, 3)).toEqual([
      'VictimSpared 1 gang',
      'VictimSpared 2 gang',
      'VictimSpared 3 disruption-budget',
    ]);
  });
});
