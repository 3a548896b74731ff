import { describe, expect, it } from '@jest/globals';
import { atMs, planned, Run, summarize } from '../../testing/run-scenario.js';
import { evolveRun, foldRun, initialRunState } from '../run/state.js';
import { victimNotifiedEvent } from '../run/victim-events.js';
import { type KeptNote, openRound } from './open-round.js';

const wait = 15_000;
const note = (nr: number, more: Partial<KeptNote> = {}): KeptNote => ({
  allocation: `v${nr}`,
  uid: `uid-${nr}`,
  application: 'app',
  queue: 'root.a.b',
  notifiedAt: atMs(-wait),
  killAt: more.notifiedAt ?? atMs(0),
  round: 1,
  notifiedBy: 'r-before',
  ...more,
});

interface Opening {
  victims?: number;
  notes?: KeptNote[];
  mode?: 'observe' | 'enforce';
  stops?: { queue: string | null; by: string }[];
  approveAboveVictims?: number;
}

/** An opened round of the victims `v1` …; `root.a` is the enforced queue. */
function opened({ victims = 2, notes = [], mode = 'enforce', stops = [], ...more }: Opening): Run {
  const plan = planned(
    Array(victims).fill(10),
    { policy: 'intra-queue', target: { memory: 20 } },
    { max: null },
  );
  const run = new Run(plan, null);
  const { events } = openRound(
    run.state,
    {
      openedAt: atMs(0),
      mode,
      max: null,
      deadlineSeconds: 600,
      roundSeconds: 10,
      approveAboveVictims: more.approveAboveVictims ?? null,
      approveAbovePercent: null,
      allocations: 100,
      usage: { memory: 80 },
    },
    { round: 2, maxWaitBeforeKillMs: wait, notes, stops },
  );
  run.append(events);
  return run;
}

/** Notifies the victims of the next step. */
function notify(run: Run): void {
  const step = run.step();
  if (step.kind !== 'notify') throw new Error(`the step is ${step.kind}`);
  run.append(
    step.victims.map(({ rank }) =>
      victimNotifiedEvent(run.state, rank, { notifiedAt: atMs(0), killAt: atMs(wait) }),
    ),
  );
}

describe('the run of a round', () => {
  it('notifies the owners, and ends without a kill', () => {
    const run = opened({});
    notify(run);
    expect(summarize(run.drive())).toEqual(['EnforcementEnded notified']);
    expect(run.state.ended).toMatchObject({ policy: 'intra-queue', notified: 2, waiting: 0, evicted: 0 });
  });

  it('kills victims whose wait is over, but not those that wait or that it notifies', () => {
    const run = opened({ victims: 3, notes: [note(2, { notifiedAt: atMs(-1) }), note(3)] });
    notify(run);
    expect(summarize(run.drive())).toEqual([
      'VictimOrdered 3',
      'VictimEvicted 3',
      'EnforcementEnded best-effort',
    ]);
    expect(run.state.ended).toMatchObject({ notified: 1, waiting: 1, evicted: 1 });
  });

  it('continues after a crash where it was, and decides nothing again', () => {
    const run = opened({ victims: 3, notes: [note(2, { notifiedAt: atMs(-1) }), note(3)] });
    run.crash();
    run.becomes({ now: 5000 });
    notify(run);
    run.crash();
    expect(summarize(run.drive())).toEqual([
      'VictimOrdered 3',
      'VictimEvicted 3',
      'EnforcementEnded best-effort',
    ]);
  });

  it('spares victims below a kill switch at once: clearing it a moment later kills no victim without a notification', () => {
    const run = opened({ stops: [{ queue: 'root.a.b', by: 'ada' }] });
    expect(summarize(run.log).slice(1)).toEqual([
      'EnforcementOpened',
      'VictimSpared 1 stopped',
      'VictimSpared 2 stopped',
    ]);
    expect(summarize(run.drive())).toEqual(['EnforcementEnded impossible']);
  });

  it('only observes in mode observe', () => {
    const run = opened({ mode: 'observe', notes: [note(1)] });
    expect(summarize(run.drive())).toEqual([
      'VictimSpared 1 observe',
      'VictimSpared 2 observe',
      'EnforcementEnded observed',
    ]);
  });

  it('records the forgotten victims with the data of the round that notified them', () => {
    const run = opened({ victims: 0, notes: [note(7, { notifiedAt: atMs(-2 * wait) })] });
    expect(run.log.at(-1)).toMatchObject({
      name: 'VictimForgotten',
      data: { allocation: 'v7', notifiedBy: 'r-before', victimQueue: 'root.a.b' },
    });
    expect(run.drive().map(({ name }) => name)).toEqual(['EnforcementEnded']);
  });

  it('spares a victim whose queue is enforced meanwhile', () => {
    const run = opened({ victims: 1, notes: [note(1)] });
    const facts = run.facts(1);
    if ('unreachable' in facts) throw new Error('the cluster answers');
    const queues = new Map(
      [...facts.queues].map(([path, queue]) => [path, { ...queue, enforcing: path === 'root.a' }]),
    );
    const step = run.step({ ...facts, queues });
    expect(step.kind === 'append' && summarize(step.events)).toEqual(['VictimSpared 1 enforcing']);
  });

  it('kills below a guaranteed amount: the room stays in the queue', () => {
    const run = opened({ victims: 1, notes: [note(1)] });
    run.becomes({ guaranteed: { 'root.a.b': { memory: 80 } } });
    expect(summarize(run.drive())).toContain('VictimEvicted 1');
  });

  it('does not come back to a victim that was refused: the next round does', () => {
    const run = opened({ victims: 1, notes: [note(1)] });
    const events = run.drive({ kind: 'refused', retryable: true, code: 'busy', message: 'Later.' });
    expect(summarize(events)).toEqual([
      'VictimOrdered 1',
      'VictimRefused 1 busy',
      'VictimFailed 1 busy',
      'EnforcementEnded failed',
    ]);
  });

  it('leaves to the next round what it has not ordered when its plan has grown old', () => {
    const run = opened({ victims: 1, notes: [note(1)] });
    run.becomes({ now: 10_000 });
    expect(summarize(run.drive())).toEqual(['VictimSpared 1 deadline', 'EnforcementEnded deadline']);
  });

  it('waits for an approval of many kills, kills no victim by the old plan, and needs no second approval', () => {
    const notes = [note(1), note(2)];
    const run = opened({ notes, approveAboveVictims: 1 });
    expect(run.step()).toMatchObject({ kind: 'wait', for: 'approval' });
    const { partition, queue, enforcement } = run.state.planned!;
    run.append([{ name: 'PlanApproved', data: { partition, queue, enforcement, by: 'ada' } }]);
    expect(summarize(run.drive())).toEqual([
      'VictimSpared 1 approved',
      'VictimSpared 2 approved',
      'EnforcementEnded notified',
    ]);
    const next = opened({ notes: notes.map((one) => ({ ...one, approved: true })), approveAboveVictims: 1 });
    expect(summarize(next.drive())).toContain('VictimEvicted 2');
  });

  it('rejects an event about a victim that waits', () => {
    const run = opened({ victims: 1, notes: [note(1, { notifiedAt: atMs(-1) })] });
    const event = victimNotifiedEvent(run.state, 1, { notifiedAt: atMs(0), killAt: atMs(wait) });
    expect(() => evolveRun(foldRun(initialRunState, run.log), event)).toThrow('has an outcome already');
  });
});
