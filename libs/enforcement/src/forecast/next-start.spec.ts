import { describe, expect, it } from '@jest/globals';
import {
  afterApproval,
  afterResume,
  atDate,
  type ForecastClock,
  type ForecastRun,
  type Moment,
  nextStart,
} from './next-start.js';

const clock = (queue: string, ms: number, from: Moment = atDate(ms)): ForecastClock => ({
  queue,
  dueAt: new Date(ms).toISOString(),
  from,
});
const run = (queue: string, until: Moment): ForecastRun => ({ queue, until, victims: [] });

/** The queues in the order of their starts, each run taking `takes` ms, or waiting for an approval. */
function order(clocks: ForecastClock[], takes: Record<string, number | 'approval'> = {}) {
  let left = clocks;
  const runs: ForecastRun[] = [];
  const found: { queue: string; waitsFor?: string; enforcing: string[] }[] = [];
  for (;;) {
    const start = nextStart(left, runs);
    if (start === undefined) return found;
    const { clock: next, at, waitsFor, inProgress } = start;
    found.push({
      queue: next.queue,
      ...(waitsFor && { waitsFor }),
      enforcing: inProgress.map(({ queue }) => queue),
    });
    const span = takes[next.queue] ?? 10;
    runs.push(run(next.queue, span === 'approval' ? afterApproval(at) : { ...at, ms: at.ms + span }));
    left = left.filter((other) => other !== next);
  }
}

describe('the next start', () => {
  it('is the deeper queue at the same moment, and its run is in progress for the one above', () => {
    expect(order([clock('root.p', 5), clock('root.p.one', 5)])).toEqual([
      { queue: 'root.p.one', enforcing: [] },
      { queue: 'root.p', enforcing: ['root.p.one'] },
    ]);
  });

  it('of a queue below a run is the end of that run, which is not in progress then', () => {
    expect(order([clock('root.p', 5), clock('root.p.one', 9), clock('root.q', 12)])).toEqual([
      { queue: 'root.p', enforcing: [] },
      { queue: 'root.q', enforcing: ['root.p'] },
      { queue: 'root.p.one', waitsFor: 'root.p', enforcing: ['root.q'] },
    ]);
  });

  it('waits for nothing when the run above has ended before', () => {
    expect(order([clock('root.p', 5), clock('root.p.one', 15)])).toEqual([
      { queue: 'root.p', enforcing: [] },
      { queue: 'root.p.one', enforcing: [] },
    ]);
  });

  it('of a queue above a run does not wait, however long that waits for its approval', () => {
    const clocks = [clock('root.p.one', 5), clock('root.p', 1e9), clock('root.p.one.a', 6)];
    expect(order(clocks, { 'root.p.one': 'approval' })).toEqual([
      { queue: 'root.p.one', enforcing: [] },
      { queue: 'root.p', enforcing: ['root.p.one'] },
      { queue: 'root.p.one.a', waitsFor: 'root.p.one', enforcing: [] },
    ]);
  });

  it('of a clock that a stop holds comes after all others, approvals included', () => {
    const clocks = [clock('root.a', 1, afterResume(1)), clock('root.b', 9), clock('root.b.c', 9e9)];
    expect(order(clocks, { 'root.b': 'approval' }).map(({ queue }) => queue)).toEqual([
      'root.b',
      'root.b.c',
      'root.a',
    ]);
  });

  it('has runs in progress with the victims of those that are over beside them', () => {
    const over = run('root.b', atDate(5));
    const going = run('root.c', atDate(7));
    expect(nextStart([clock('root.a', 6)], [over, going])).toMatchObject({
      inProgress: [going],
      over: [over],
    });
  });
});
