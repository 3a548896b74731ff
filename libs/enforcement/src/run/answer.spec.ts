import { describe, expect, it } from '@jest/globals';
import { atMs, control, planned, Run, summarize } from '../../testing/run-scenario.js';
import type { AnswerToEviction } from './answer.js';

const busy: AnswerToEviction = { kind: 'refused', retryable: true, code: 'busy', message: 'try later' };
const never: AnswerToEviction = { kind: 'refused', retryable: false, code: 'forbidden', message: 'no right' };

describe('the answer to a kill', () => {
  it.each<[AnswerToEviction, string[]]>([
    [{ kind: 'accepted', repeated: false }, ['VictimEvicted 1']],
    [{ kind: 'accepted', repeated: true }, ['VictimGone 1 leaving']],
    [{ kind: 'gone' }, ['VictimGone 1 gone']],
    [{ kind: 'other-incarnation', uid: 'x' }, ['VictimGone 1 other-incarnation']],
    [busy, ['VictimRefused 1 busy']],
    [never, ['VictimRefused 1 forbidden', 'VictimFailed 1 forbidden']],
  ])('%j is recorded as %j', (answer, expected) => {
    const run = new Run(planned([50]));
    expect(summarize(run.answer(run.order(), answer))).toEqual(expected);
    expect(run.state.openOrders.size).toBe(0);
  });

  it('accepted records the eviction with what the victim held, and why', () => {
    const run = new Run(planned([50]));
    expect(run.answer(run.order())[0]?.data).toMatchObject({
      recovered: false,
      evictionId: 'e1-1-1',
      resources: { memory: 50 },
      reason: 'It was the youngest.',
    });
  });

  it('to another order is a fault', () => {
    const run = new Run(planned([50]));
    const kill = run.order();
    expect(() => run.answer({ ...kill, evictionId: 'e1-1-2' })).toThrow('not an open order');
    run.answer(kill);
    expect(() => run.answer(kill)).toThrow('not an open order');
  });
});

describe('a refusal that may pass', () => {
  it('is tried again after a pause that doubles, under another eviction id, and fails in the end', () => {
    const run = new Run(planned([50]));
    run.answer(run.order(), busy);
    expect(run.step()).toEqual({ kind: 'wait', for: 'back-off', until: atMs(1000) });
    run.now = 1000;
    const second = run.order();
    expect(second.evictionId).toBe('e1-1-2');
    run.answer(second, busy);
    expect(run.step()).toMatchObject({ until: atMs(3000) });
    run.now = 3000;
    expect(summarize(run.answer(run.order(), busy))).toEqual(['VictimRefused 1 busy', 'VictimFailed 1 busy']);
    expect(summarize(run.drive())).toEqual(['EnforcementEnded failed']);
  });

  it('by a disruption budget is repeated with growing pauses until the deadline, and counts as no attempt', () => {
    const exhausted: AnswerToEviction = {
      kind: 'refused',
      retryable: true,
      code: 'disruption-budget',
      message: 'no room',
      retryAfterMs: 1000,
    };
    const run = new Run(planned([50]));
    run.control = control({ limits: { ...control().limits, maxAttempts: 2, maxBackOffMs: 6000 } });
    const pauses = [1000, 2000, 4000, 6000, 6000];
    for (const [before, pause] of pauses.entries()) {
      const kill = run.order();
      expect(kill.evictionId).toBe(`e1-1-${before + 1}`);
      expect(summarize(run.answer(kill, exhausted))).toEqual(['VictimRefused 1 disruption-budget']);
      expect(run.step()).toMatchObject({ kind: 'wait', until: atMs(run.now + pause) });
      run.now += pause;
    }
    run.answer(run.order(), busy);
    run.now += 6000;
    expect(summarize(run.answer(run.order()))).toEqual(['VictimEvicted 1']);
  });

  it('never pauses longer than the limit, nor shorter than the cluster asks', () => {
    const limits = { ...control().limits, maxAttempts: 9, maxBackOffMs: 1500 };
    const run = new Run(planned([50]));
    run.control = control({ limits });
    run.answer(run.order(), busy);
    run.now = 1000;
    run.answer(run.order(), busy);
    expect(run.step()).toMatchObject({ until: atMs(2500) });
    run.now = 2500;
    run.answer(run.order(), { ...busy, retryAfterMs: 60_000 });
    expect(run.step()).toMatchObject({ until: atMs(62_500) });
  });

  it('lets the other victims go first meanwhile', () => {
    const run = new Run(planned([20, 30]));
    run.answer(run.order(), busy);
    expect(run.order().allocation).toBe('v2');
  });

  it('fails when the deadline comes before the next attempt', () => {
    const run = new Run(planned([50]), { deadlineSeconds: 1 });
    expect(summarize(run.answer(run.order(), busy))).toEqual(['VictimRefused 1 busy', 'VictimFailed 1 busy']);
  });

  it('fails when the deadline passes during the pause', () => {
    const run = new Run(planned([20, 30]), { deadlineSeconds: 2 });
    run.answer(run.order(), busy);
    run.now = 2000;
    expect(summarize(run.drive())).toEqual([
      'VictimFailed 1 deadline',
      'VictimSpared 2 deadline',
      'EnforcementEnded deadline',
    ]);
  });

  it('is waited for at most until the deadline', () => {
    const run = new Run(planned([50]), { deadlineSeconds: 600 });
    run.answer(run.order(), { ...busy, retryAfterMs: 599_000 });
    run.crash();
    expect(run.step()).toEqual({ kind: 'wait', for: 'back-off', until: atMs(599_000) });
  });

  it('ends as gone when the victim is gone by then', () => {
    const run = new Run(planned([50]));
    run.answer(run.order(), busy);
    run.now = 1000;
    run.set('v1', null);
    expect(summarize(run.drive())).toEqual(['VictimGone 1 gone', 'EnforcementEnded satisfied']);
  });
});

describe('after a crash with an open order', () => {
  const crashed = () => {
    const run = new Run(planned([20, 30]));
    const kill = run.order();
    run.crash();
    return { run, kill };
  };

  it('the victim is checked again', () => {
    const { run } = crashed();
    run.now = 1;
    expect(run.state.openOrders.first()).toMatchObject({ rank: 1, evictionId: 'e1-1-1' });
  });

  const gone = (run: Run) => run.set('v1', null);
  const leaving = (run: Run) => run.set('v1', { state: 'releasing' });
  const replaced = (run: Run) => run.set('v1', { uid: 'uid-9' });

  it.each<[string, (run: Run) => void]>([
    ['gone', gone],
    ['leaving', leaving],
    ['another incarnation', replaced],
  ])('a victim that is %s counts as evicted where the cluster carried the kill out', (_case, happens) => {
    const { run } = crashed();
    happens(run);
    run.carriedOut = true;
    const step = run.step();
    expect(step).toMatchObject({
      kind: 'append',
      events: [
        { name: 'VictimEvicted', data: { recovered: true, evictionId: 'e1-1-1', resources: { memory: 20 } } },
      ],
    });
  });

  it.each<[string, (run: Run) => void, boolean | undefined, string]>([
    ['gone, and was never asked for', gone, false, 'gone'],
    ['leaving, and was never asked for', leaving, false, 'leaving'],
    ['another incarnation, and was never asked for', replaced, false, 'other-incarnation'],
    ['gone, after a request without an answer', gone, undefined, 'gone-after-request'],
    ['leaving, after a request without an answer', leaving, undefined, 'gone-after-request'],
    ['another incarnation, after a request without an answer', replaced, undefined, 'other-incarnation'],
  ])('a victim that is %s does not count as evicted', (_case, happens, carriedOut, code) => {
    const { run } = crashed();
    happens(run);
    run.carriedOut = carriedOut;
    const step = run.step();
    if (step.kind !== 'append') throw new Error(`the step is ${step.kind}`);
    expect(summarize(step.events)).toEqual([`VictimGone 1 ${code}`]);
  });

  it('a request that may still be answered is waited for', () => {
    const { run } = crashed();
    gone(run);
    run.openUntil = atMs(5000);
    expect(run.step()).toMatchObject({ kind: 'wait', for: 'cluster' });
    run.now = 5000;
    expect(run.step().kind).toBe('append');
  });

  it('another incarnation frees nothing, and the queue is checked before the run ends', () => {
    const run = new Run(planned([50]));
    run.answer(run.order(), { kind: 'other-incarnation', uid: 'uid-9' });
    expect(run.ask()).toEqual({ kind: 'check-queue', max: { memory: 30 } });
    run.drive();
    expect(run.state.ended).toMatchObject({
      ...{ outcome: 'impossible', gone: 1, freed: {}, shortfall: { memory: 50 } },
      message:
        'root.a: its only victim was replaced by another incarnation; short of the target by 50 B memory.',
      blocked: [{ code: 'other-incarnation', victims: 1 }],
    });
  });

  it('incarnations that replace some of the victims are told from those that were gone', () => {
    const run = new Run(planned([20, 30]));
    run.answer(run.order(), { kind: 'gone' });
    run.set('v2', { uid: 'uid-9' });
    run.drive();
    expect(run.state.ended?.message).toMatch(
      /^root\.a: of 2 victims 1 was gone, 1 was replaced by another incarnation; freed/,
    );
  });

  it('another incarnation that needs no room leaves the run satisfied', () => {
    const run = new Run(planned([50]));
    run.answer(run.order(), { kind: 'other-incarnation', uid: 'uid-9' });
    run.used = { memory: 30 };
    run.drive();
    expect(run.state.ended).toMatchObject({ outcome: 'satisfied', freed: {}, shortfall: {} });
  });

  it('a victim that still runs is killed under the same eviction id', () => {
    const { run, kill } = crashed();
    const step = run.step();
    expect(step).toEqual({ kind: 'send', kill: { ...kill, resent: true } });
    if (step.kind !== 'send') throw new Error('unreachable');
    expect(run.answer(step.kill)[0]).toMatchObject({ name: 'VictimEvicted', data: { recovered: true } });
  });

  it.each<[AnswerToEviction, string]>([
    [{ kind: 'gone' }, 'VictimGone 1 gone-after-request'],
    [{ kind: 'other-incarnation', uid: 'x' }, 'VictimGone 1 other-incarnation'],
    [{ kind: 'accepted', repeated: true }, 'VictimEvicted 1'],
  ])('a resent kill that is answered %j is recorded as %s', (answer, expected) => {
    const { run } = crashed();
    const step = run.step();
    if (step.kind !== 'send') throw new Error('no kill is sent');
    expect(summarize(run.answer(step.kill, answer))).toEqual([expected]);
  });

  it.each<[string, (run: Run) => void, ...string[]]>([
    [
      'the lock is lost',
      (run) => run.becomes({ control: control({ fencingToken: 8 }) }),
      'VictimSpared 1 fenced',
      'VictimSpared 2 fenced',
      'EnforcementEnded fenced',
    ],
    [
      'the kill switch is set',
      (run) => run.becomes({ control: control({ stops: [{ queue: null, by: 'ann' }] }) }),
      'VictimSpared 1 stopped',
      'VictimSpared 2 stopped',
      'EnforcementEnded stopped',
    ],
    [
      'its queue is stopped',
      (run) => run.becomes({ control: control({ stops: [{ queue: 'root.a.b', by: 'ann' }] }) }),
      'VictimSpared 1 stopped',
    ],
    [
      'it is no longer needed',
      (run) => run.becomes({ used: { memory: 30 } }),
      'VictimSpared 1 no-longer-needed',
    ],
    [
      'a floor holds it',
      (run) => run.becomes({ guaranteed: { root: { memory: 70 } } }),
      'VictimSpared 1 guaranteed-floor',
    ],
    [
      'the deadline has passed',
      (run) => run.becomes({ now: 600_000 }),
      'VictimFailed 1 deadline',
      'VictimSpared 2 deadline',
      'EnforcementEnded deadline',
    ],
  ])('a victim that still runs is no longer killed when %s', (_case, happens, ...expected) => {
    const { run } = crashed();
    happens(run);
    const step = run.step();
    if (step.kind !== 'append') throw new Error(`the step is ${step.kind}`);
    expect(summarize(step.events)).toEqual(expected);
  });

  it('what the kill did is recorded even when the lock is lost', () => {
    const { run } = crashed();
    run.control = control({ fencingToken: 8 });
    run.set('v1', { state: 'preempting' });
    run.carriedOut = true;
    expect(summarize(run.drive())).toEqual([
      'VictimEvicted 1',
      'VictimSpared 2 fenced',
      'EnforcementEnded fenced',
    ]);
  });

  it('a cluster that cannot be asked is asked again until the deadline, then the outcome is stated as unknown', () => {
    const { run } = crashed();
    const unreachable = { rank: 1, unreachable: 'no route' };
    expect(run.step(unreachable)).toEqual({ kind: 'wait', for: 'cluster', until: atMs(1000) });
    run.now = 600_000;
    const step = run.step(unreachable);
    if (step.kind !== 'append') throw new Error(`the step is ${step.kind}`);
    expect(summarize(step.events)).toEqual(['VictimFailed 1 outcome-unknown']);
  });
});
