import { describe, expect, it } from '@jest/globals';
import { type ClockHolds, type WaitingRun, whyClockWaits, whyRunWaits } from './why-waiting.js';

const at = '2026-11-24T10:00:00.000Z';
const clock = { partition: 'default', enforcement: 'e-1', dueAt: at, suspended: false };
const later = { ...clock, dueAt: '2026-11-24T10:00:00.001Z' };
const above = { queue: 'root', enforcement: 'e-2' };
const all: ClockHolds = { unknown: 'it has never reported', above, noSize: true };

describe('the reason why a clock waits', () => {
  const code = (of: typeof clock, holds: ClockHolds = {}) => whyClockWaits(of, holds, at).code;

  it('is its delay until it is due, whatever would hold it then', () => {
    expect(whyClockWaits(later, all, at)).toEqual({
      code: 'due',
      message: `Run e-1 is due at ${later.dueAt}.`,
      about: { kind: 'enforcement', name: 'e-1' },
    });
    expect(whyClockWaits({ ...later, enforcement: undefined }, {}, at)).toMatchObject({
      message: `The next round is due at ${later.dueAt}.`,
      about: { kind: 'partition', name: 'default' },
    });
  });

  it('is a stop or the switch, and names the person', () => {
    const stop = { queue: 'root.a', by: 'ann', reason: 'wrong quota' };
    expect(whyClockWaits({ ...clock, suspended: true }, { stop }, at)).toEqual({
      code: 'suspended',
      message: 'Run e-1 is suspended. User ann stopped evictions in root.a (wrong quota).',
      about: { kind: 'queue', name: 'root.a' },
    });
    expect(whyClockWaits({ ...clock, suspended: true }, {}, at)).toMatchObject({
      message: 'Run e-1 is suspended. Quota preemption is off in this partition.',
      about: { kind: 'partition', name: 'default' },
    });
  });

  it('is the freeze in which it falls due, or for whose end it waits', () => {
    const until = '2026-11-24T12:00:00.000Z';
    const frozen = { until, freeze: { queue: 'root.a', by: 'ann', reason: 'release', frozenUntil: until } };
    expect(whyClockWaits(later, { ...all, frozen }, at)).toEqual({
      code: 'frozen',
      message: `Run e-1 is due at ${later.dueAt} and waits until ${until}: User ann froze root.a until ${until} (release).`,
      about: { kind: 'queue', name: 'root.a' },
    });
    expect(whyClockWaits({ ...clock, dueAt: until }, { frozen }, at)).toMatchObject({
      message: `Run e-1 waits until ${until}: User ann froze root.a until ${until} (release).`,
    });
  });

  it('is the run above that has to end first, while its delay still runs', () => {
    expect(whyClockWaits(later, { before: above }, at)).toEqual({
      code: 'ancestor-first',
      message: `Run e-1 is due at ${later.dueAt}, but not before the end of run e-2 of root, which is above it.`,
      about: { kind: 'enforcement', name: 'e-2' },
    });
    expect(code(clock, { before: above })).toBe('overdue');
  });

  it('is a max that goes up and down, until its clock is due', () => {
    const flapping = { queue: 'root.a', dueAt: at, because: 'The max of root.a changes often.' };
    expect(whyClockWaits(later, { flapping }, at)).toEqual({
      code: 'flapping',
      message: `Run e-1 is due at ${later.dueAt}, not at ${at}. The max of root.a changes often.`,
      about: { kind: 'queue', name: 'root.a' },
    });
    expect(code(clock, { flapping })).toBe('overdue');
  });

  it('is what holds a due clock: the scheduler before a run above, and that before the size', () => {
    expect(code(clock, all)).toBe('cluster-unknown');
    expect(code(clock, { ...all, unknown: undefined })).toBe('ancestor-running');
    expect(code(clock, { noSize: true })).toBe('size-unknown');
    expect(code(clock)).toBe('overdue');
    expect(whyClockWaits(clock, { above }, at)).toMatchObject({
      message: `Run e-1 was due at ${at} and waits for run e-2 of root, which is above it.`,
      about: { kind: 'enforcement', name: 'e-2' },
    });
  });
});

describe('the reason why a run waits', () => {
  const run: WaitingRun = {
    partition: 'default',
    enforcement: 'e-1',
    state: 'executing',
    message: null,
    ready: 0,
    refused: 0,
    asked: 0,
  };
  const refusal = { allocation: 'a-1', message: 'The budget has no room.' };

  it('is missing while it has something to do', () => {
    expect(whyRunWaits({ ...run, ready: 1, refused: 3, asked: 2 }, {})).toBeUndefined();
    expect(whyRunWaits({ ...run, state: 'planning' }, {})).toBeUndefined();
  });

  it('is an operator before the scheduler, and that before its victims', () => {
    const approval = {
      ...run,
      state: 'waiting for approval' as const,
      message: '9 victims; more than 3 need approval.',
    };
    expect(whyRunWaits(approval, { unknown: 'it is silent' })).toEqual({
      code: 'approval',
      message: 'Run e-1 waits for approval: 9 victims; more than 3 need approval.',
      about: { kind: 'enforcement', name: 'e-1' },
    });
    expect(whyRunWaits({ ...run, ready: 1 }, { unknown: 'it is silent' })).toEqual({
      code: 'cluster-unknown',
      message: 'Run e-1 waits for the scheduler of partition default: it is silent.',
      about: { kind: 'partition', name: 'default' },
    });
  });

  it('is an extension, once nothing else is to be done', () => {
    const extended = { victims: 1, first: 'a-1', until: '2026-11-21T10:10:00.000Z' };
    expect(whyRunWaits({ ...run, extended }, {})).toEqual({
      code: 'extension',
      message: 'Run e-1 waits until 2026-11-21T10:10:00.000Z for a-1, whose owner extended its time.',
      about: { kind: 'enforcement', name: 'e-1' },
    });
    expect(whyRunWaits({ ...run, extended: { ...extended, victims: 3 } }, {})?.message).toBe(
      'Run e-1 waits until 2026-11-21T10:10:00.000Z for 3 victims whose owners, first that of a-1, extended their time.',
    );
    expect(whyRunWaits({ ...run, extended, ready: 1 }, {})).toBeUndefined();
    expect(whyRunWaits({ ...run, extended, refused: 1 }, {})).toMatchObject({ code: 'refused' });
  });

  it('is refused evictions, or victims that may finish', () => {
    expect(whyRunWaits({ ...run, refused: 2, asked: 1, refusal }, {})).toMatchObject({
      code: 'refused',
      message: 'Run e-1 will request 2 refused evictions again, first of a-1: The budget has no room.',
    });
    expect(whyRunWaits({ ...run, asked: 1 }, {})).toMatchObject({
      code: 'grace',
      message: 'Run e-1 waits for a victim that was asked to finish.',
    });
  });
});
