import { describe, expect, it } from '@jest/globals';
import type { DomainEvent } from '#contracts';
import { atMs, control, planned, Run, summarize } from '../../testing/run-scenario.js';
import type { RunControl } from './control.js';
import { nextStep } from './next-step.js';
import { initialRunState } from './state.js';
import type { Step } from './step.js';

const ids = { partition: 'default', queue: 'root.a', enforcement: 'e1' };
const approve: DomainEvent = { name: 'PlanApproved', data: { ...ids, by: 'ann' } };
const reject: DomainEvent = { name: 'PlanRejected', data: { ...ids, by: 'ann', reason: 'not today' } };
const cancel: DomainEvent = { name: 'CancelRequested', data: { ...ids, by: 'bob' } };

describe('a run from the beginning to the end', () => {
  it('waits for the plan, opens, orders in rank order, and ends', () => {
    expect(nextStep(initialRunState, atMs(0), control())).toEqual({ kind: 'wait', for: 'plan' });
    const run = new Run(planned([20, 30]), null);
    expect(run.step()).toEqual({ kind: 'open' });
    run.open();
    expect(nextStep(run.state, atMs(0), run.control)).toMatchObject({
      kind: 'check',
      victims: [{ allocation: 'v1' }],
      queues: ['root.a.b', 'root.a', 'root'],
    });
    expect(summarize(run.drive())).toEqual([
      'VictimOrdered 1',
      'VictimEvicted 1',
      'VictimOrdered 2',
      'VictimEvicted 2',
      'EnforcementEnded satisfied',
    ]);
    expect(run.step()).toEqual({ kind: 'done' });
    expect(run.state.ended).toMatchObject({
      evicted: 2,
      gone: 0,
      spared: 0,
      failed: 0,
      freed: { memory: 50 },
      shortfall: {},
      message: 'root.a: all 2 victims were evicted; freed 50 B memory.',
    });
  });

  it('orders with all that the kill needs', () => {
    const run = new Run(planned([20, 30]));
    run.now = 1234;
    expect(run.step()).toEqual({
      kind: 'order',
      events: [
        {
          name: 'VictimOrdered',
          data: {
            ...ids,
            allocation: 'v1',
            uid: 'uid-1',
            application: 'app',
            victimQueue: 'root.a.b',
            rank: 1,
            attempt: 1,
            evictionId: 'e1-1-1',
            orderedAt: atMs(1234),
            resources: { memory: 20 },
            secondsLost: 1,
          },
        },
      ],
      kills: [
        {
          partition: 'default',
          rank: 1,
          allocation: 'v1',
          uid: 'uid-1',
          evictionId: 'e1-1-1',
          reason: 'It was the youngest.',
          resent: false,
        },
      ],
    });
  });

  describe('of several victims at once', () => {
    const paged = (amounts: number[], most = 3) => {
      const run = new Run(planned(amounts));
      run.control = control({ limits: { ...run.control.limits, victimsAtOnce: most } });
      return run;
    };
    const outline = (step: Step) => ('events' in step ? summarize(step.events) : [step.kind]);

    it('orders as many as it may, with a kill of each', () => {
      const run = paged([10, 10, 10, 10]);
      expect(run.ask()).toMatchObject({ kind: 'check', victims: [{ rank: 1 }, { rank: 2 }, { rank: 3 }] });
      const step = run.step();
      expect(outline(step)).toEqual(['VictimOrdered 1', 'VictimOrdered 2', 'VictimOrdered 3']);
      expect('kills' in step && step.kills.map(({ evictionId }) => evictionId)).toEqual([
        ...['e1-1-1', 'e1-2-1', 'e1-3-1'],
      ]);
    });

    it('orders no more than the rate leaves', () => {
      const run = paged([10, 10, 10, 10]);
      run.control = control({ limits: { ...run.control.limits, victimsPerSecond: 2 } });
      expect(outline(run.step())).toEqual(['VictimOrdered 1', 'VictimOrdered 2']);
    });

    it('holds each against its floors as if those before it had left', () => {
      const run = paged([10, 10, 10]);
      run.guaranteed = { 'root.a.b': { memory: 55 } };
      expect(outline(run.step())).toEqual(['VictimOrdered 1', 'VictimOrdered 2']);
    });

    it('spares a victim only once it is certain that those before it go', () => {
      const run = paged([10, 10, 10]);
      run.guaranteed = { 'root.a.b': { memory: 65 } };
      const first = run.order();
      run.answer(first, { kind: 'refused', retryable: false, code: 'never', message: 'No.' });
      expect(outline(run.step())).toEqual(['VictimOrdered 2']);
      run.used = { memory: 70 };
      run.drive();
      expect(summarize(run.log)).toEqual([
        ...[
          'PlanComputed',
          'EnforcementOpened',
          'VictimOrdered 1',
          'VictimRefused 1 never',
          'VictimFailed 1 never',
        ],
        ...['VictimSpared 2 guaranteed-floor', 'VictimSpared 3 guaranteed-floor'],
        'EnforcementEnded failed',
      ]);
    });

    it('stops at the amount that brings the queue down', () => {
      const run = paged([30, 20, 10]);
      expect(outline(run.step())).toEqual(['VictimOrdered 1', 'VictimOrdered 2']);
    });

    it('records gone and spared victims ahead of the first order with it', () => {
      const run = paged([10, 10, 10]);
      run.set('v1', null);
      run.set('v2', { queue: 'root.a.c' });
      expect(outline(run.step())).toEqual(['VictimGone 1 gone', 'VictimSpared 2 moved', 'VictimOrdered 3']);
    });

    it('are spared together where a stop covers them', () => {
      const run = paged([10, 10, 10]);
      run.control = { ...run.control, stops: [{ queue: 'root.a.b', by: 'ann' }] };
      expect(outline(run.ask())).toEqual([1, 2, 3].map((rank) => `VictimSpared ${rank} stopped`));
    });

    it('resolves each open order after a crash, and ends only behind the last', () => {
      const run = paged([10, 10]);
      const step = run.step();
      run.append('events' in step ? step.events : []);
      run.crash();
      run.control = { ...run.control, mode: 'observe' };
      expect(run.ask()).toMatchObject({ kind: 'check', victims: [{ rank: 1 }], evictionId: 'e1-1-1' });
      expect(outline(run.step())).toEqual(['VictimSpared 1 observe']);
      run.drive();
      expect(summarize(run.log).slice(-3)).toEqual([
        ...['VictimSpared 1 observe', 'VictimSpared 2 observe', 'EnforcementEnded stopped'],
      ]);
    });
  });

  it('ignores facts about another victim', () => {
    const run = new Run(planned([20, 30]));
    expect(nextStep(run.state, atMs(0), run.control, [run.facts(2)])).toMatchObject({
      kind: 'check',
      victims: [{ rank: 1 }],
    });
  });

  it.each(['not-needed', 'skipped', 'impossible'] as const)(
    'ends at once with a plan that is %s',
    (outcome) => {
      for (const mode of ['enforce', 'observe'] as const) {
        const run = new Run(planned([], { outcome, target: {} }), { mode });
        expect(summarize(run.drive())).toEqual([`EnforcementEnded ${outcome}`]);
      }
    },
  );

  it.each([
    ['impossible', [], 'nothing could be evicted.'],
    [
      'impossible',
      [
        {
          code: 'impossible',
          message: 'Queue root.a stays above its quota: none of the 50 GB memory could be freed.',
        },
        { code: 'only-daemons', message: 'All 5 running allocations are daemons, and daemons stay.' },
      ],
      'nothing could be evicted. All 5 running allocations are daemons, and daemons stay.',
    ],
    [
      'skipped',
      [{ code: 'enforcement-skipped', message: 'The queue is dynamic.' }],
      'nothing could be evicted. The queue is dynamic.',
    ],
    ['not-needed', [], 'nothing had to be evicted.'],
  ] as const)('states why a plan that is %s has no victims: %j', (outcome, found, expected) => {
    const notices = found.map((notice) => ({ ...notice, about: { kind: 'queue' as const, name: 'root.a' } }));
    const run = new Run(planned([], { outcome, target: {}, notices }));
    run.drive();
    expect(run.state.ended?.message).toBe(`root.a: ${expected}`);
  });

  it('ends as failed when no plan could be made', () => {
    const data = { ...ids, fencingToken: 7, code: 'snapshot', message: 'no answer', attempt: 1 };
    const run = new Run({ name: 'PlanFailed', data }, null);
    expect(summarize(run.drive())).toEqual(['EnforcementEnded failed']);
    expect(run.step()).toEqual({ kind: 'done' });
  });

  it.each([
    ['snapshot-unusable', true],
    ['too-large', undefined],
  ])('asks for another run after a plan that failed as %s: %p', (code, retry) => {
    const run = new Run(
      { name: 'PlanFailed', data: { ...ids, fencingToken: 7, code, message: 'why', attempt: 1 } },
      null,
    );
    run.drive();
    expect(run.state.ended?.retry).toBe(retry);
    expect(run.state.ended?.notices.map((notice) => notice.code)).toEqual(retry ? [] : ['too-large']);
  });

  it('asks for the enforced queue, whichever chain the victim has', () => {
    const run = new Run(planned([50]));
    expect(nextStep(run.state, atMs(0), run.control)).toMatchObject({
      queues: expect.arrayContaining(['root.a']),
    });
  });
});

describe('what ends a run early', () => {
  it.each<[string, (run: Run) => void, string, string]>([
    [
      'another run has the lock',
      (run) => run.becomes({ control: control({ fencingToken: 8 }) }),
      'fenced',
      'fenced',
    ],
    [
      'the queue is not locked',
      (run) => run.becomes({ control: control({ fencingToken: undefined }) }),
      'fenced',
      'fenced',
    ],
    [
      'the kill switch of the partition',
      (run) => run.becomes({ control: control({ stops: [{ queue: null, by: 'ann' }] }) }),
      'stopped',
      'stopped',
    ],
    [
      'the kill switch of the queue',
      (run) => run.becomes({ control: control({ stops: [{ queue: 'root.a', by: 'ann' }] }) }),
      'stopped',
      'stopped',
    ],
    [
      'the kill switch of an ancestor',
      (run) => run.becomes({ control: control({ stops: [{ queue: 'root', by: 'ann' }] }) }),
      'stopped',
      'stopped',
    ],
    [
      'the partition is only observed from now on',
      (run) => run.becomes({ control: control({ mode: 'observe' }) }),
      'stopped',
      'observe',
    ],
    ['an operator cancels', (run) => run.append([cancel]), 'cancelled', 'cancelled'],
    ['an operator rejects', (run) => run.append([reject]), 'rejected', 'rejected'],
    ['the deadline', (run) => run.becomes({ now: 600_000 }), 'deadline', 'deadline'],
    [
      'the deadline, while the cluster is unknown',
      (run) => run.becomes({ now: 600_000, control: control({ unknownCluster: 'the scheduler is silent' }) }),
      'deadline',
      'cluster-unknown',
    ],
  ])('%s: the rest is spared, with the reason', (_case, happens, outcome, code) => {
    const run = new Run(planned([20, 20, 10]));
    run.answer(run.order());
    happens(run);
    expect(summarize(run.drive())).toEqual([
      `VictimSpared 2 ${code}`,
      `VictimSpared 3 ${code}`,
      `EnforcementEnded ${outcome}`,
    ]);
    expect(run.state.ended).toMatchObject({
      evicted: 1,
      spared: 2,
      freed: { memory: 20 },
      shortfall: { memory: 30 },
    });
  });

  it('is not a kill switch elsewhere', () => {
    const run = new Run(planned([50]));
    run.control = control({
      stops: [
        { queue: 'root.ab', by: 'ann' },
        { queue: 'root.c', by: 'ann' },
      ],
    });
    run.drive();
    expect(run.outcome).toBe('satisfied');
  });

  it('is not the last moment before the deadline', () => {
    const run = new Run(planned([50]));
    run.now = 599_999;
    expect(run.step().kind).toBe('order');
  });

  it('comes between the facts and the kill as well', () => {
    const run = new Run(planned([50]));
    const facts = run.facts(1);
    run.control = control({ stops: [{ queue: null, by: 'ann', reason: 'incident 7' }] });
    const step = nextStep(run.state, atMs(0), run.control, [facts]);
    expect(step).toMatchObject({ kind: 'append' });
    if (step.kind !== 'append') throw new Error('unreachable');
    expect(step.events[0]?.data).toMatchObject({
      message: 'User ann stopped evictions in the partition (incident 7).',
    });
  });

  it('of a queue below spares its victims only', () => {
    const plan = planned([20, 30]);
    if (plan.name !== 'PlanComputed') throw new Error('unreachable');
    const second = plan.data.plan.victims[1];
    if (second) second.queue = 'root.a.c';
    const run = new Run(plan);
    run.control = control({ stops: [{ queue: 'root.a.b', by: 'ann' }] });
    expect(summarize(run.drive())).toEqual([
      'VictimSpared 1 stopped',
      'VictimOrdered 2',
      'VictimEvicted 2',
      'EnforcementEnded best-effort',
    ]);
  });
});

describe('observe mode', () => {
  it('orders nothing and records so for every victim', () => {
    const run = new Run(planned([20, 30]), { mode: 'observe' });
    expect(summarize(run.drive())).toEqual([
      'VictimSpared 1 observe',
      'VictimSpared 2 observe',
      'EnforcementEnded observed',
    ]);
  });

  it('stays, whatever the mode of the partition becomes', () => {
    const run = new Run(planned([50]), { mode: 'observe' });
    run.control = control({ mode: 'enforce' });
    run.drive();
    expect(run.outcome).toBe('observed');
  });
});

describe('approval', () => {
  const waiting = () => new Run(planned([20, 30]), { approveAboveVictims: 1 });

  it('is waited for, at most until the deadline', () => {
    const run = waiting();
    expect(run.step()).toEqual({ kind: 'wait', for: 'approval', until: atMs(600_000) });
    run.now = 600_000;
    // The silence of the cluster has kept it from nothing.
    run.control = control({ unknownCluster: 'the scheduler is silent' });
    expect(summarize(run.drive()).slice(0, 1)).toEqual(['VictimSpared 1 deadline']);
    expect(run.outcome).toBe('deadline');
  });

  it('lets the run begin', () => {
    const run = waiting();
    run.append([approve]);
    run.drive();
    expect(run.outcome).toBe('satisfied');
  });

  it('may come before the run is open', () => {
    const run = new Run(planned([20, 30]), null);
    run.append([approve]);
    run.open({ approveAboveVictims: 1 });
    expect(run.step().kind).toBe('order');
  });

  it('that is refused ends the run', () => {
    const run = waiting();
    run.append([reject]);
    run.drive();
    expect(run.outcome).toBe('rejected');
    expect(run.state.ended?.message).toContain('User ann rejected the plan (not today).');
  });
});

describe('the rate', () => {
  it('is so many orders within any second', () => {
    const run = new Run(planned([10, 10, 10, 10, 10]));
    run.control = control({ limits: { ...control().limits, victimsPerSecond: 2 } });
    run.answer(run.order());
    run.now = 400;
    run.answer(run.order());
    expect(run.step()).toEqual({ kind: 'wait', for: 'rate', until: atMs(1000) });
    run.now = 999;
    expect(run.step().kind).toBe('wait');
    run.now = 1000;
    run.answer(run.order());
    expect(run.step()).toEqual({ kind: 'wait', for: 'rate', until: atMs(1400) });
  });

  it('outlives a crash', () => {
    const run = new Run(planned([20, 30]));
    run.control = control({ limits: { ...control().limits, victimsPerSecond: 1 } });
    run.answer(run.order());
    run.crash();
    run.now = 500;
    expect(run.step()).toEqual({ kind: 'wait', for: 'rate', until: atMs(1000) });
  });

  it('is not waited for where the clock was set back meanwhile', () => {
    const run = new Run(planned([10, 10, 10, 10]));
    run.control = control({ limits: { ...control().limits, victimsPerSecond: 2 } });
    run.now = 300_000;
    run.answer(run.order());
    run.now = 0;
    run.answer(run.order());
    run.answer(run.order());
    expect(run.step()).toEqual({ kind: 'wait', for: 'rate', until: atMs(1000) });
  });

  it('does not hold up an end', () => {
    const run = new Run(planned([50]));
    run.control = control({ limits: { ...control().limits, victimsPerSecond: 1 } });
    run.answer(run.order());
    expect(summarize(run.drive())).toEqual(['EnforcementEnded satisfied']);
  });

  it('has to be a whole number', () => {
    const run = new Run(planned([50]));
    run.control = control({ limits: { ...control().limits, victimsPerSecond: 0.5 } });
    expect(() => run.step()).toThrow('rate');
  });
});

describe('a victim that', () => {
  const first = (run: Run) => summarize(run.drive())[0];

  it('has gone is recorded as gone, and counts as freed', () => {
    const run = new Run(planned([20, 30]));
    run.set('v1', null);
    expect(first(run)).toBe('VictimGone 1 gone');
    expect(run.state.ended).toMatchObject({
      outcome: 'satisfied',
      evicted: 1,
      gone: 1,
      freed: { memory: 50 },
    });
  });

  it.each(['releasing', 'preempting'] as const)(
    'is %s is recorded as leaving, and counts as freed',
    (state) => {
      const run = new Run(planned([20, 30]));
      run.set('v1', { state });
      expect(first(run)).toBe('VictimGone 1 leaving');
      expect(run.state.ended).toMatchObject({ outcome: 'satisfied', freed: { memory: 50 } });
    },
  );

  it('is another incarnation is not killed, and frees nothing', () => {
    const run = new Run(planned([20, 30]));
    run.set('v1', { uid: 'uid-9' });
    expect(first(run)).toBe('VictimGone 1 other-incarnation');
    expect(run.state.ended).toMatchObject({
      outcome: 'best-effort',
      freed: { memory: 30 },
      shortfall: { memory: 20 },
    });
  });

  it('has lost its uid is taken for another incarnation', () => {
    const run = new Run(planned([50]));
    run.set('v1', { uid: undefined } as never);
    expect(first(run)).toBe('VictimGone 1 other-incarnation');
  });

  it('never had a uid is known by its id', () => {
    const plan = planned([50]);
    if (plan.name === 'PlanComputed') delete plan.data.plan.victims[0]?.uid;
    const run = new Run(plan);
    run.set('v1', { uid: 'uid-9' });
    expect(run.step().kind).toBe('order');
  });

  it('has moved to another queue is spared', () => {
    const run = new Run(planned([50]));
    run.set('v1', { queue: 'root.z' });
    expect(first(run)).toBe('VictimSpared 1 moved');
    expect(run.outcome).toBe('impossible');
  });

  it('has been protected since the plan is spared, in every policy, also where it was ordered', () => {
    const run = new Run(planned([20, 30]));
    run.order();
    run.crash();
    run.carriedOut = false;
    for (const id of ['v1', 'v2']) run.set(id, { protected: true });
    expect(summarize(run.drive()).slice(0, 2)).toEqual([
      'VictimSpared 1 protected',
      'VictimSpared 2 protected',
    ]);
    const round = new Run(planned([50], { policy: 'intra-queue' }));
    round.set('v1', { protected: true });
    expect(first(round)).toBe('VictimSpared 1 protected');
  });

  it('is no longer needed is spared, and the run is satisfied', () => {
    const run = new Run(planned([20, 30]));
    run.answer(run.order());
    run.used = { memory: 30 };
    expect(summarize(run.drive())).toEqual(['VictimSpared 2 no-longer-needed', 'EnforcementEnded satisfied']);
    expect(run.state.ended).toMatchObject({ shortfall: {}, spared: 1 });
  });

  it('is needed as long as one unit is above the max', () => {
    const run = new Run(planned([50]));
    run.used = { memory: 31 };
    expect(run.step().kind).toBe('order');
  });

  it('is not needed for what is in flight already', () => {
    const run = new Run(planned([50]));
    run.inFlight = { memory: 50 };
    expect(first(run)).toBe('VictimSpared 1 no-longer-needed');
  });

  it('is needed for one of its types is not spared for the other', () => {
    const plan = planned([50], { target: { memory: 50, vcore: 5 } });
    if (plan.name === 'PlanComputed' && plan.data.plan.victims[0]) {
      plan.data.plan.victims[0].resources = { memory: 50, vcore: 5 };
    }
    const run = new Run(plan, { max: { memory: 30, vcore: 10 } });
    run.used = { memory: 30, vcore: 11 };
    expect(run.step().kind).toBe('order');
    run.used = { memory: 30, vcore: 10 };
    expect(first(run)).toBe('VictimSpared 1 no-longer-needed');
  });

  it('uses only a type that has come down is spared, whatever the other types miss', () => {
    const run = new Run(planned([50], { target: { memory: 50, vcore: 5 } }), {
      max: { memory: 30, vcore: 10 },
    });
    run.used = { memory: 30, vcore: 11 };
    expect(first(run)).toBe('VictimSpared 1 no-longer-needed');
    expect(run.state.ended).toMatchObject({ outcome: 'impossible', shortfall: { vcore: 5 } });
  });

  it('belongs to a target that the trigger named is needed until the victims have given it', () => {
    const trigger = { policy: 'quota-decrease', queue: 'root.a', target: { memory: 50 } };
    const run = new Run(planned([20, 30, 10], {}, { trigger }), { max: null });
    run.used = { memory: 1 };
    expect(summarize(run.drive()).filter((line) => line.startsWith('VictimEvicted'))).toHaveLength(2);
    expect(run.state.counts).toMatchObject({ evicted: 2, spared: 1 });
    expect(run.outcome).toBe('satisfied');
  });

  it.each(['root.a.b', 'root.a', 'root'])('would take %s below its guaranteed is spared', (path) => {
    const run = new Run(planned([20, 30]));
    run.guaranteed = { [path]: { memory: 60 } };
    run.used = { memory: 79 };
    expect(summarize(run.drive()).slice(0, 2)).toEqual([
      'VictimSpared 1 guaranteed-floor',
      'VictimSpared 2 guaranteed-floor',
    ]);
    expect(run.outcome).toBe('impossible');
  });

  it('leaves exactly the guaranteed is evicted', () => {
    const run = new Run(planned([20]));
    run.guaranteed = { 'root.a.b': { memory: 60 } };
    expect(run.step().kind).toBe('order');
  });

  it('is refused by a floor of a type outside the target as well', () => {
    const run = new Run(planned([50]));
    run.set('v1', { resources: { memory: 50, gpu: 1 } });
    run.used = { memory: 80, gpu: 1 };
    run.guaranteed = { root: { gpu: 1 } };
    expect(first(run)).toBe('VictimSpared 1 guaranteed-floor');
  });

  it('does not use the guaranteed type is not held by its floor', () => {
    const run = new Run(planned([50]));
    run.guaranteed = { root: { gpu: 5 } };
    expect(run.step().kind).toBe('order');
  });

  it('has grown is judged by what it holds now', () => {
    const run = new Run(planned([20]));
    run.set('v1', { resources: { memory: 21 } });
    run.guaranteed = { 'root.a.b': { memory: 60 } };
    expect(first(run)).toBe('VictimSpared 1 guaranteed-floor');
  });

  it('was killed but still counts as running is counted neither for the need nor for the floor', () => {
    const run = new Run(planned([20, 20]));
    const facts = (memory: number) => {
      const found = run.facts(1);
      if (!('queues' in found)) throw new Error('unreachable');
      const queues = new Map(
        [...found.queues].map(([path, queue]) => [path, { ...queue, notYetLeaving: { memory } }]),
      );
      return { ...found, queues };
    };
    expect(run.step(facts(49)).kind).toBe('order');
    expect(run.step(facts(50))).toMatchObject({ events: [{ data: { code: 'no-longer-needed' } }] });
    run.guaranteed = { root: { memory: 40 } };
    expect(run.step(facts(20)).kind).toBe('order');
    expect(run.step(facts(21))).toMatchObject({ events: [{ data: { code: 'guaranteed-floor' } }] });
  });

  it('cannot be checked is checked again later', () => {
    const run = new Run(planned([50]));
    expect(run.step({ rank: 1, unreachable: 'no route' })).toEqual({
      kind: 'wait',
      for: 'cluster',
      until: atMs(1000),
    });
  });

  it('comes without the usage that was asked for is a fault', () => {
    const run = new Run(planned([50]));
    const found = run.facts(1);
    expect(() => run.step({ ...found, queues: new Map() } as never)).toThrow('root.a');
  });
});

describe('the end', () => {
  it('is best-effort when something was freed and not enough', () => {
    const run = new Run(planned([20], { outcome: 'best-effort', shortfall: { memory: 30 } }));
    run.drive();
    expect(run.state.ended).toMatchObject({ outcome: 'best-effort', shortfall: { memory: 30 } });
    expect(run.state.ended?.message).toContain('short of the target by 30 B memory.');
  });

  it('is satisfied within the miss that the plan allowed', () => {
    const run = new Run(planned([45], { outcome: 'satisfied', shortfall: { memory: 5 } }));
    run.drive();
    expect(run.state.ended).toMatchObject({ outcome: 'satisfied', shortfall: { memory: 5 } });
  });

  it('is satisfied by fewer victims when those that were evicted give it all', () => {
    const run = new Run(planned([10, 50]));
    run.set('v1', { uid: 'uid-9' });
    run.drive();
    expect(run.outcome).toBe('satisfied');
  });

  describe('of a run whose plan counted on what was leaving already', () => {
    /** 80 used, 30 allowed: 10 were leaving, 40 were to be evicted. */
    const counting = (inFlight = 10) =>
      new Run(planned([40], { target: { memory: 50 - inFlight }, inFlight: { memory: inFlight } }));

    it.each<[string, Partial<Pick<Run, 'used' | 'inFlight'>>]>([
      ['it has left', { used: { memory: 30 } }],
      ['it still leaves', { used: { memory: 40 }, inFlight: { memory: 10 } }],
    ])('is satisfied when %s', (_, found) => {
      const run = counting();
      const kill = run.order();
      Object.assign(run, found);
      run.answer(kill);
      run.drive();
      expect(run.state.ended).toMatchObject({ outcome: 'satisfied', shortfall: {} });
    });

    it('is best-effort when it has stayed, and reports how much', () => {
      const run = counting();
      const kill = run.order();
      run.becomes({ used: { memory: 39 } });
      run.answer(kill);
      run.drive();
      expect(run.state.ended).toMatchObject({
        outcome: 'best-effort',
        freed: { memory: 40 },
        shortfall: { memory: 9 },
        message:
          'root.a: its only victim was evicted; freed 40 B memory. ' +
          'In addition, 9 B memory are above its quota: allocations that were to leave have stayed, or new ones have started.',
      });
    });

    it('answers for no more than it counted on, and not for its own victims twice', () => {
      const run = counting();
      run.drive({ kind: 'refused', retryable: false, code: 'forbidden', message: 'no right' });
      expect(run.state.ended).toMatchObject({ outcome: 'failed', shortfall: { memory: 50 } });

      const grown = counting(5);
      const kill = grown.order();
      grown.becomes({ used: { memory: 99 } });
      grown.answer(kill);
      grown.drive();
      expect(grown.state.ended).toMatchObject({ outcome: 'best-effort', shortfall: { memory: 10 } });
    });

    it('waits for a cluster that does not answer', () => {
      const run = counting();
      run.answer(run.order());
      expect(run.ask()).toEqual({ kind: 'check-queue', max: { memory: 30 } });
      expect(nextStep(run.state, atMs(0), run.control, { unreachable: 'no route' })).toEqual({
        kind: 'wait',
        for: 'cluster',
        until: atMs(1000),
      });
    });

    it.each<[string, number, Partial<RunControl>]>([
      ['its deadline has passed', 600_000, {}],
      ['it has lost the lock', 0, { fencingToken: 8 }],
      ['an operator stops evictions', 0, { stops: [{ queue: null, by: 'ann' }] }],
    ])('is not known to be satisfied when the cluster does not answer and %s', (_, ms, more) => {
      const run = counting();
      run.answer(run.order());
      const away = { unreachable: 'no route' };
      expect(nextStep(run.state, atMs(ms), control(more), away)).toMatchObject({
        kind: 'append',
        events: [
          {
            name: 'EnforcementEnded',
            data: { outcome: 'best-effort', message: expect.stringContaining('is not known: no route') },
          },
        ],
      });
    });
  });

  it('is failed when nothing was freed and a kill failed', () => {
    const run = new Run(planned([50]));
    run.drive({ kind: 'refused', retryable: false, code: 'forbidden', message: 'no right' });
    expect(run.state.ended).toMatchObject({ outcome: 'failed', failed: 1, freed: {} });
  });

  it.each<[string, number[], (run: Run) => void, string]>([
    ['one alone', [50], () => {}, 'its only victim was evicted; freed 50 B memory.'],
    [
      'one of each',
      [20, 30],
      (run) => run.set('v1', { uid: 'uid-9' }),
      'of 2 victims 1 was evicted, 1 was replaced by another incarnation; freed 30 B memory, short of the target by 20 B memory.',
    ],
    [
      'no evicted victim',
      [20, 30],
      (run) => run.becomes({ control: control({ stops: [{ queue: null, by: 'ann' }] }) }),
      'all 2 victims were spared; short of the target by 50 B memory. User ann stopped evictions in the partition.',
    ],
  ])(
    'lists the outcomes of the victims, without those that did not occur: %s',
    (_, sizes, happens, message) => {
      const run = new Run(planned(sizes));
      happens(run);
      run.drive();
      expect(run.state.ended?.message).toBe(`root.a: ${message}`);
    },
  );
});

describe('a guaranteed amount of a type that is not to be freed', () => {
  const run = (settings: Record<string, unknown>) => {
    const enforced = new Run(planned([50], {}, { settings }));
    enforced.used = { memory: 80, vcore: 1 };
    enforced.guaranteed = { 'root.a': { vcore: 4 } };
    enforced.set('v1', { resources: { memory: 50, vcore: 1 } });
    enforced.drive();
    return enforced;
  };

  it('keeps a victim, and is named as it is', () => {
    expect(run({}).state.stayed).toMatchObject({
      'guaranteed-floor': { why: { message: 'root.a uses vcore 1, already below its guaranteed 4.' } },
    });
  });

  it('keeps none with the setting guaranteedTypes: lowered', () => {
    expect(run({ guaranteedTypes: 'lowered' }).outcome).toBe('satisfied');
  });

  it.each(['root.a', 'root'])('of the type that is to be freed keeps a victim all the same: %s', (queue) => {
    const enforced = new Run(planned([50], {}, { settings: { guaranteedTypes: 'lowered' } }));
    enforced.used = { memory: 80, vcore: 1 };
    enforced.guaranteed = { [queue]: { memory: 40 } };
    enforced.drive();
    expect(enforced.state.stayed).toHaveProperty('guaranteed-floor');
    expect(enforced.state.ended).toMatchObject({ evicted: 0, spared: 1 });
  });
});
