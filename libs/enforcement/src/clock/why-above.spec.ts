import { describe, expect, it } from '@jest/globals';
import { type ClockState, initialClockState, type LastRun } from './state.js';
import { type QueueHolds, whyAbove } from './why-above.js';

const at = '2026-11-24T10:00:00.000Z';
const over = { memory: 10 };
const values = { max: { memory: 100 }, delayMs: 60_000 };
const free: QueueHolds = { enabled: true, observed: false, stop: undefined };
const stop = { queue: 'root', by: 'ada', reason: 'wrong quota' };

const state = (part: Partial<ClockState>): ClockState => ({
  ...initialClockState('default', 'root.a'),
  values,
  ...part,
});
const pending = (dueAt: string, suspended = false) =>
  state({ pending: { enforcement: 'e-1', generation: 1, dueAt, suspended } });
const endedAs = (outcome: LastRun['outcome'], shortfall = over) =>
  state({ lastRun: { enforcement: 'e-0', outcome, shortfall, values } });
const code = (of: ClockState | undefined, holds: Partial<QueueHolds> = {}) =>
  whyAbove(of, over, { ...free, ...holds }, at).code;

describe('the reason why a queue is above its quota', () => {
  it('is the run that will change that', () => {
    const running = state({
      running: {
        enforcement: 'e-1',
        fencingToken: 1,
        startedAt: at,
        firedWith: values,
        changeSkipped: false,
      },
    });
    expect(code(running)).toBe('running');
    expect(code(pending('2026-11-24T10:00:00.001Z'))).toBe('due');
    expect(code(pending(at))).toBe('overdue');
    expect(code(pending(at, true))).toBe('suspended');
  });

  it('is a hold, where no run is due', () => {
    expect(code(state({}), { enabled: false })).toBe('switched-off');
    expect(code(state({}), { enabled: false, nodeLabels: ['CARD'] })).toBe('node-labels');
    expect(code(state({}), { stop })).toBe('stopped');
    expect(code(state({}), { observed: true })).toBe('observed');
    expect(code(state({ values: { ...values, delayMs: 0 } }))).toBe('no-delay');
  });

  it.each(['cancelled', 'rejected', 'satisfied', 'best-effort', 'impossible'] as const)(
    'is the last run, which was %s',
    (outcome) => expect(code(endedAs(outcome))).toBe(outcome),
  );

  it('is missing where the last run left less above the quota, failed, or never was', () => {
    expect(code(endedAs('best-effort', { memory: 9 }))).toBe('quota-not-met');
    expect(code(endedAs('failed'))).toBe('quota-not-met');
    expect(code(state({}))).toBe('quota-not-met');
    expect(code(undefined)).toBe('quota-not-met');
  });

  it('names the run or the person', () => {
    expect(whyAbove(pending(at, true), over, { ...free, stop }, at)).toEqual({
      code: 'suspended',
      enforcement: 'e-1',
      message: 'Run e-1 is suspended. User ada stopped evictions in root (wrong quota).',
    });
    expect(
      whyAbove(pending(at, true), over, { ...free, enabled: false, nodeLabels: ['CARD'] }, at).message,
    ).toBe(
      'Run e-1 is suspended. The configuration of the partition has node labels (CARD), which Curtail does not count: nothing is enforced in it.',
    );
    expect(whyAbove(endedAs('impossible'), over, free, at).message).toBe(
      'Run e-0 could free nothing of the 10 B memory that it left above the quota.',
    );
  });
});
