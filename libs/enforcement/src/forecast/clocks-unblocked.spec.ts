import { describe, expect, it } from '@jest/globals';
import type { QuotaValues } from '#contracts';
import { type ClockState, initialClockState } from '../clock/state.js';
import { clockUnblocked, queuesToUnblock } from './clocks-unblocked.js';

const at = '2026-01-01T00:00:00.000Z';
const values: QuotaValues = { max: { memory: 100 }, delayMs: 60_000 };
const resting = (queue: string): ClockState => ({ ...initialClockState('p', queue), values, generation: 1 });
const blocked = (queue: string): ClockState => ({
  ...resting(queue),
  lastRun: {
    enforcement: `e-${queue}`,
    outcome: 'impossible',
    shortfall: { memory: 20 },
    values,
    blocked: [{ code: 'protected', message: 'all is protected' }],
  },
});
const pending = (queue: string, suspended = false): ClockState => ({
  ...resting(queue),
  pending: { enforcement: `e-${queue}`, generation: 1, dueAt: at, suspended },
});
const asSaved = (...states: ClockState[]) =>
  new Map(states.map((state) => [state.queue, { state, events: [] }]));

describe('queues whose last run fell short', () => {
  const queues = (...more: Parameters<typeof queuesToUnblock>) =>
    queuesToUnblock(...more).map(({ state }) => state.queue);
  const nothingStops = () => false;

  it('may get another one at rest, with nothing due above or below', () => {
    const clocks = asSaved(pending('root.b.c'), pending('root.d'), pending('root.f', true));
    const states = ['root.a', 'root.b', 'root.d.e', 'root.f.g'].map(blocked);
    expect(queues(clocks, [...states, resting('root.h')], nothingStops)).toEqual(['root.a', 'root.f.g']);
  });

  it('wait for a run below them', () => {
    const running = { enforcement: 'e-1', fencingToken: 1, generation: 1, fired: values } as never;
    const clocks = asSaved({ ...resting('root.a.b'), running });
    expect(queues(clocks, [blocked('root.a')], nothingStops)).toEqual([]);
  });

  it('do not wait for a clock that a stop holds', () => {
    const clocks = asSaved(pending('root.a.b'));
    expect(queues(clocks, [blocked('root.a')], (queue) => queue === 'root.a.b')).toEqual(['root.a']);
  });

  it('count as the save leaves them', () => {
    const clocks = asSaved(pending('root.a'));
    expect(queues(clocks, [blocked('root.a')], nothingStops)).toEqual([]);
  });
});

describe('the clock of a queue whose last run fell short', () => {
  it.each([
    ['is due at once', 120, {}, at],
    ['is not set within the quota', 100, {}, undefined],
    ['is not set where more is used than the run left', 130, {}, undefined],
    ['is not set where the partition is only observed', 120, { observed: true }, undefined],
    ['is not set while the switch is off', 120, { enabled: false }, undefined],
    ['is not set under a stop', 120, { stop: { queue: null, by: 'ann', at } }, undefined],
  ])('%s', (_what, used, more, due) => {
    const facts = { at, observed: false, enabled: true, usage: { memory: used }, inFlight: {}, ...more };
    const clock = clockUnblocked({ state: blocked('root.a'), events: [] }, facts as never);
    expect(clock?.state.pending?.dueAt).toBe(due);
  });
});
