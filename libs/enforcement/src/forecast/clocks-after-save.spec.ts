import { describe, expect, it } from '@jest/globals';
import type { QuotaValues, TimerPolicy } from '#contracts';
import { type ClockState, initialClockState } from '../clock/state.js';
import { clocksAfterSave, type QuotaChange } from './clocks-after-save.js';

const at = '2026-01-01T00:00:00.000Z';
const inSeconds = (seconds: number) => new Date(Date.parse(at) + seconds * 1000).toISOString();
const values = (memory: number, seconds: number): QuotaValues => ({
  max: { memory },
  delayMs: seconds * 1000,
});

function state(queue: string, more: Partial<ClockState>): ClockState {
  return { ...initialClockState('p', queue), values: values(100, 60), generation: 1, ...more };
}
const pending = (queue: string, dueInSeconds: number, suspended = false) =>
  state(queue, {
    pending: { enforcement: `e-${queue}`, generation: 1, dueAt: inSeconds(dueInSeconds), suspended },
  });
const lowered = (queue: string, usage = {}): QuotaChange => ({
  queue,
  previous: values(100, 60),
  current: values(50, 90),
  usage,
});

function saved(
  states: ClockState[],
  changes: QuotaChange[],
  over: { timerPolicy?: TimerPolicy; enabled?: boolean; wasEnabled?: boolean | null } = {},
) {
  const save = { partition: 'p', at, timerPolicy: 'restart' as const, enabled: true, wasEnabled: true };
  const clocks = clocksAfterSave(states, { ...save, changes, ...over });
  return Object.fromEntries(
    [...clocks].map(
      ([
        queue,
        {
          state: { pending: clock, running },
          events,
        },
      ]) => [
        queue,
        {
          events: events.map(({ name }) => name),
          ...(clock && { dueAt: clock.dueAt, suspended: clock.suspended }),
          ...(running && { running: running.enforcement }),
        },
      ],
    ),
  );
}

describe('the clocks after a save', () => {
  it('are those that start, those that restart and those that stay', () => {
    expect(
      saved([pending('root.a', 5), pending('root.b', 7)], [lowered('root.a'), lowered('root.c')]),
    ).toEqual({
      'root.a': { events: ['EnforcementRescheduled'], dueAt: inSeconds(90), suspended: false },
      'root.b': { events: [], dueAt: inSeconds(7), suspended: false },
      'root.c': { events: ['EnforcementScheduled'], dueAt: inSeconds(90), suspended: false },
    });
  });

  it.each([
    ['keep-earliest', {}, 5],
    ['shift', { memory: 80 }, 35],
  ] as const)('follow the timer policy %s', (timerPolicy, usage, due) => {
    const clocks = saved([pending('root.a', 5)], [lowered('root.a', usage)], { timerPolicy });
    expect(clocks).toMatchObject({ 'root.a': { dueAt: inSeconds(due) } });
  });

  it('have none of a queue that leaves', () => {
    const removed = { ...lowered('root.a'), current: null };
    expect(saved([pending('root.a', 5)], [removed])).toEqual({
      'root.a': { events: ['EnforcementCancelled'] },
    });
  });

  it('stay as they are for a queue with a run, whose change is skipped', () => {
    const running = {
      enforcement: 'e-1',
      fencingToken: 1,
      startedAt: at,
      firedWith: values(100, 60),
      changeSkipped: false,
    };
    expect(saved([state('root.a', { running })], [lowered('root.a')])).toEqual({
      'root.a': { events: ['EnforcementSkipped'], running: 'e-1' },
    });
  });

  it('restart their whole delay when the switch is turned on, and are suspended when it is turned off', () => {
    const on = saved([pending('root.a', -5, true)], [], { wasEnabled: false });
    expect(on).toMatchObject({ 'root.a': { dueAt: inSeconds(60), suspended: false } });
    const off = saved([pending('root.a', 5)], [lowered('root.b')], { enabled: false });
    expect(off).toMatchObject({ 'root.a': { suspended: true }, 'root.b': { suspended: true } });
  });
});
