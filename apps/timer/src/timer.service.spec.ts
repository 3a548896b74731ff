import { clockKind } from '@curtail/contracts';
import { roundPolicies } from '@curtail/rounds';
import { describe, expect, it } from '@jest/globals';
import { machineClock } from '../../../test/support/machine-clock.js';
import type { CheckOptions, CheckOutcome } from './start-due-runs.js';
import { TimerService } from './timer.service.js';

const nothing: CheckOutcome = { latenessMs: [], more: false, left: false, wakeUps: [] };

describe('checks of a partition', () => {
  /** A timer whose checks end when the test ends them, in the order in which they began. */
  function timer() {
    const begun: { isSecond: boolean; end: (outcome?: Partial<CheckOutcome>) => Promise<void> }[] = [];
    const startDueRuns = {
      check: (_: string, { isSecond = false }: CheckOptions) =>
        new Promise<CheckOutcome>((resolve) => {
          begun.push({
            isSecond,
            end: async (outcome = {}) => {
              resolve({ ...nothing, ...outcome });
              await settled();
            },
          });
        }),
    };
    const wakeUps = { arm: () => {} };
    const unused = {} as never;
    const words = [
      ...[unused, unused, unused, startDueRuns, unused, unused, wakeUps],
      ...[unused, unused, unused, machineClock, unused],
    ];
    const service = new TimerService(...(words as ConstructorParameters<typeof TimerService>));
    return { service, begun };
  }
  const settled = () => new Promise((resolve) => setImmediate(resolve));
  const kinds = (begun: { isSecond: boolean }[]) =>
    begun.map(({ isSecond }) => (isSecond ? 'beside' : 'leading'));

  it('overlap, and a request while three are under way causes one more when one of them is done', async () => {
    const { service, begun } = timer();
    const requests = [1, 2, 3, 4, 5].map(() => service.check('p'));
    expect(kinds(begun)).toEqual(['leading', 'beside', 'beside']);
    await begun[1]!.end();
    expect(begun).toHaveLength(4);
    for (const check of [0, 2, 3]) await begun[check]!.end();
    await Promise.all(requests);
    expect(begun).toHaveLength(4);
  });

  it('leave a whole page to the leading one, and run again when that is done: nothing due is left behind', async () => {
    const { service, begun } = timer();
    const requests = [service.check('p'), service.check('p')];
    await begun[1]!.end({ left: true });
    expect(begun).toHaveLength(2);
    await begun[0]!.end();
    expect(kinds(begun)).toEqual(['leading', 'beside', 'leading']);
    await begun[2]!.end({ more: true });
    expect(kinds(begun).at(-1)).toBe('leading');
    await begun[3]!.end();
    await Promise.all(requests);
  });

  it('of another partition do not wait', () => {
    const { service, begun } = timer();
    for (const partition of ['p', 'p', 'p', 'p', 'q']) void service.check(partition);
    expect(kinds(begun)).toEqual(['leading', 'beside', 'beside', 'leading']);
  });
});

describe('a sweep', () => {
  it('runs in each partition and step, whatever fails or hangs in others, and counts failures', async () => {
    const [broken, ...sound] = roundPolicies.names;
    const checked: string[] = [];
    const startDueRuns = {
      check: async (partition: string) => {
        checked.push(partition);
        if (partition === 'broken') throw new Error('no answer');
        if (partition === 'hangs') await new Promise(() => {});
        return nothing;
      },
    };
    const db = {
      query: async (sql: string, [kinds]: unknown[] = []) => {
        if (!sql.includes('FROM timers\n')) return [];
        const partitionsOf = (kind: string) => {
          if (kind === clockKind) return ['broken', 'hangs', 'quick'];
          return kind === broken ? ['broken'] : ['sound'];
        };
        return (kinds as string[]).map((kind) => ({ kind, partitions: partitionsOf(kind) }));
      },
    };
    const done: string[] = [];
    const beginRounds = {
      ifDue: async ({ name }: { name: string }, partition: string) => {
        if (name === broken) throw new Error('no round');
        done.push(`${name} ${partition}`);
      },
    };
    const endLeases = {
      partitions: async () => ['q'],
      sweep: async (partition: string) => done.push(`leases ${partition}`),
    };
    const failed: string[] = [];
    const metrics = {
      sweepFailed: (step: string, partition: string) => failed.push(`${step} ${partition}`),
    };
    const words = [
      ...[db, {}, {}, startDueRuns, endLeases, {}, { arm: () => {} }],
      ...[beginRounds, {}, metrics, machineClock, {}],
    ];
    const service = new TimerService(...(words as unknown as ConstructorParameters<typeof TimerService>));
    void service.sweep();
    await new Promise((resolve) => setImmediate(resolve));
    expect(checked.sort()).toEqual(['broken', 'hangs', 'quick']);
    expect(done.sort()).toEqual([...sound.map((name) => `${name} sound`), 'leases q'].sort());
    expect(failed.sort()).toEqual(['clocks broken', `${broken} broken`].sort());
    // The hanging one is not begun again, and all others run.
    void service.sweep();
    await new Promise((resolve) => setImmediate(resolve));
    expect(checked.sort()).toEqual(['broken', 'broken', 'hangs', 'quick', 'quick']);
  });
});
