import { describe, expect, it } from '@jest/globals';
import type { DomainEvent } from '#contracts';
import { planned, Run } from '../../testing/run-scenario.js';
import { evolveRun } from './state.js';

const busy = { kind: 'refused', retryable: true, code: 'busy', message: 'later' } as const;

/** The first event of a name in the log. */
function recorded(run: Run, name: DomainEvent['name']): DomainEvent {
  const event = run.log.find((found) => found.name === name);
  if (!event) throw new Error(`no ${name}`);
  return event;
}

function ordered(): Run {
  const run = new Run(planned([20, 30]));
  run.order();
  return run;
}

describe('an event that breaks a rule of the run', () => {
  const evicted = () => {
    const run = new Run(planned([20, 30]));
    run.answer(run.order());
    return run;
  };
  const ended = () => {
    const run = new Run(planned([20, 30]));
    run.drive();
    return run;
  };

  it.each<[string, () => void, string]>([
    [
      'a second opening',
      () => evolveRun(ordered().state, recorded(ordered(), 'EnforcementOpened')),
      'open already',
    ],
    ['a second outcome', () => evolveRun(evicted().state, spared(1)), 'has an outcome'],
    [
      'a second kill',
      () => evolveRun(evicted().state, recorded(evicted(), 'VictimEvicted')),
      'no such order',
    ],
    [
      'an order after the outcome',
      () => evolveRun(evicted().state, recorded(evicted(), 'VictimOrdered')),
      'has an outcome',
    ],
    ['the same order twice', () => evolveRun(ordered().state, order(1)), 'while its last order is open'],
    ['a refusal without an order', () => evolveRun(evicted().state, refused(2)), 'without an order'],
    [
      'an eviction under another id',
      () => evolveRun(ordered().state, recorded(evicted(), 'PlanComputed') && other()),
      'no such order',
    ],
    ['a victim of another plan', () => evolveRun(evicted().state, spared(3)), 'not the victim'],
    ['an order after the end', () => evolveRun(ended().state, order(1)), 'after the end'],
    ['an outcome after the end', () => evolveRun(ended().state, spared(1)), 'after the end'],
    ['a second end', () => evolveRun(ended().state, recorded(ended(), 'EnforcementEnded')), 'ended already'],
    [
      'an end with an open order',
      () => evolveRun(ordered().state, recorded(ended(), 'EnforcementEnded')),
      'open order',
    ],
    ['an end that does not add up', () => evolveRun(evicted().state, wrongEnd()), 'add up'],
  ])('is not applied: %s', (_case, applies, message) => {
    expect(applies).toThrow(message);
  });

  const victim = (rank: number) => ({
    partition: 'default',
    queue: 'root.a',
    enforcement: 'e1',
    allocation: `v${rank}`,
    application: 'app',
    victimQueue: 'root.a.b',
    rank,
  });
  const spared = (rank: number): DomainEvent => ({
    name: 'VictimSpared',
    data: { ...victim(rank), code: 'stopped', message: 'm' },
  });
  const refused = (rank: number): DomainEvent => ({
    name: 'VictimRefused',
    data: { ...victim(rank), code: 'busy', message: 'm' },
  });
  const order = (rank: number): DomainEvent => ({
    name: 'VictimOrdered',
    data: {
      ...victim(rank),
      attempt: 1,
      evictionId: `e1-${rank}-1`,
      orderedAt: '2026-11-21T10:00:00.000Z',
      resources: {},
    },
  });
  const other = (): DomainEvent => ({
    name: 'VictimEvicted',
    data: { ...victim(1), evictionId: 'e2-1-1', resources: {}, reason: 'r', recovered: false },
  });
  const wrongEnd = (): DomainEvent => {
    const end = recorded(ended(), 'EnforcementEnded');
    if (end.name !== 'EnforcementEnded') throw new Error('unreachable');
    return { name: 'EnforcementEnded', data: { ...end.data, spared: 1 } };
  };
});

describe('the state of a run', () => {
  it('is the same after it was folded again, at every point', () => {
    const run = new Run(planned([20, 20, 10]));
    run.answer(run.order(), busy);
    for (const id of ['v2', 'v3']) {
      run.set(id, id === 'v3' ? null : {});
      run.drive();
      const before = run.state;
      run.crash();
      expect(run.state).toEqual(before);
    }
  });

  it('is not mutated by an event that is applied to it', () => {
    const run = new Run(planned([20, 30]));
    const before = run.state;
    const copy = structuredClone(before);
    run.answer(run.order(), busy);
    run.drive();
    expect(before).toEqual(copy);
  });

  it('keeps only the orders of the last second', () => {
    const run = new Run(planned([1, 1, 1, 1]));
    for (const now of [0, 500, 1000, 1499]) {
      run.now = now;
      run.answer(run.order());
    }
    expect(run.state.recentOrdersMs).toHaveLength(3);
  });

  it('does not know of events that are none of its own', () => {
    const run = new Run(planned([20]));
    const event: DomainEvent = {
      name: 'KillSwitchCleared',
      data: { partition: 'default', queue: null, by: 'ann' },
    };
    expect(evolveRun(run.state, event)).toBe(run.state);
  });
});
