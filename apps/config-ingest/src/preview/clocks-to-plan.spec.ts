import { describe, expect, it } from '@jest/globals';
import { type ClockAfterSave, initialClockState } from '#enforcement';
import { clocksToPlan } from './clock-preview.js';

function clock(queue: string, dueMs: number): [string, ClockAfterSave] {
  const dueAt = new Date(dueMs).toISOString();
  const pending = { enforcement: `e-${queue}`, generation: 1, dueAt, suspended: false };
  return [queue, { state: { ...initialClockState('p', queue), pending }, events: [] }];
}
const idle = (queue: string): [string, ClockAfterSave] => [
  queue,
  { state: initialClockState('p', queue), events: [] },
];
const others = (count: number) => Array.from({ length: count }, (_, i) => clock(`root.o.q${i}`, i));
const queues = (clocks: [string, ClockAfterSave][], changed: string[], mayFollow: typeof clocks = []) => {
  const { planned, notPlanned } = clocksToPlan(
    new Map(clocks),
    changed.map((queue) => ({ queue })),
    mayFollow.map(([, after]) => after),
  );
  return { planned: planned.map(({ queue }) => queue), notPlanned };
};

describe('the clocks to plan', () => {
  it('are all that are pending, while they are few', () => {
    expect(queues([clock('root.a', 1), idle('root.b')], ['root.b'])).toEqual({
      planned: ['root.a'],
      notPlanned: 0,
    });
  });

  it('are those of changed queues first, then those above and below, then the earliest', () => {
    const late = [clock('root.p', 1e6), clock('root.p.a', 2e6), clock('root.p.a.b', 3e6)];
    const { planned, notPlanned } = queues([...others(150), ...late], ['root.p.a']);
    expect(planned.slice(0, 4)).toEqual(['root.p.a', 'root.p', 'root.p.a.b', 'root.o.q0']);
    expect({ planned: planned.length, notPlanned }).toEqual({ planned: 100, notPlanned: 53 });
  });

  it('are those that may follow last, as far as there is room', () => {
    const { planned, notPlanned } = queues(
      others(98),
      [],
      [clock('root.x', 0), clock('root.y', 0), clock('root.z', 0)],
    );
    expect({ last: planned.slice(98), notPlanned }).toEqual({ last: ['root.x', 'root.y'], notPlanned: 1 });
  });
});
