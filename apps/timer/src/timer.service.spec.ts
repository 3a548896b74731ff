import { roundPolicies } from '@curtail/rounds';
import { describe, expect, it } from '@jest/globals';
import { machineClock } from '../../../test/support/machine-clock.js';
import type { LookOptions, LookOutcome } from './look-at-due.js';
import { timerKind } from './schedule-session.js';
import { TimerService } from './timer.service.js';

const nothing: LookOutcome = { latenessMs: [], more: false, left: false, wakeUps: [] };

describe('looks at a partition', () => {
  /** A timer whose looks end when they are let, in the order in which they began. */
  function timer() {
    const begun: { isSecond: boolean; end: (outcome?: Partial<LookOutcome>) => Promise<void> }[] = [];
    const lookAtDue = {
      look: (_: string, { isSecond = false }: LookOptions) =>
        new Promise<LookOutcome>((resolve) => {
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
      ...[unused, unused, unused, lookAtDue, unused, unused, wakeUps],
      ...[unused, unused, unused, machineClock, unused],
    ];
    const service = new TimerService(...(words as ConstructorParameters<typeof TimerService>));
    return { service, begun };
  }
  const settled = () => new Promise((resolve) => setImmediate(resolve));
  const kinds = (begun: { isSecond: boolean }[]) =>
    begun.map(({ isSecond }) => (isSecond ? 'beside' : 'leading'));

  it('overlap, and a wish that comes while three are under way makes one more when one of them is done', async () => {
    const { service, begun } = timer();
    const wishes = [1, 2, 3, 4, 5].map(() => service.look('p'));
    expect(kinds(begun)).toEqual(['leading', 'beside', 'beside']);
    await begun[1]!.end();
    expect(begun).toHaveLength(4);
    for (const look of [0, 2, 3]) await begun[look]!.end();
    await Promise.all(wishes);
    expect(begun).toHaveLength(4);
  });

  it('leave a whole page to the one that leads, and look again when that is done: nothing due is left behind', async () => {
    const { service, begun } = timer();
    const wishes = [service.look('p'), service.look('p')];
    await begun[1]!.end({ left: true });
    expect(begun).toHaveLength(2);
    await begun[0]!.end();
    expect(kinds(begun)).toEqual(['leading', 'beside', 'leading']);
    await begun[2]!.end({ more: true });
    expect(kinds(begun).at(-1)).toBe('leading');
    await begun[3]!.end();
    await Promise.all(wishes);
  });

  it('of another partition do not wait', () => {
    const { service, begun } = timer();
    for (const partition of ['p', 'p', 'p', 'p', 'q']) void service.look(partition);
    expect(kinds(begun)).toEqual(['leading', 'beside', 'beside', 'leading']);
  });
});

describe('a sweep', () => {
  it('has its turn in each partition and step, whatever fails or hangs in others, and counts what failed', async () => {
    const [broken, ...sound] = roundPolicies.names;
    const looked: string[] = [];
    const lookAtDue = {
      look: async (partition: string) => {
        looked.push(partition);
        if (partition === 'broken') throw new Error('no answer');
        if (partition === 'hangs') await new Promise(() => {});
        return nothing;
      },
    };
    const db = {
      query: async (sql: string, [kinds]: unknown[] = []) => {
        if (!sql.includes('FROM timers\n')) return [];
        return (kinds as string[]).includes(timerKind)
          ? ['broken', 'hangs', 'quick'].map((partition) => ({ partition }))
          : [{ partition: (kinds as string[]).includes(broken!) ? 'broken' : 'sound' }];
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
      timersPending: { set: () => done.push('counts') },
      starve: () => {},
    };
    const words = [
      ...[db, {}, {}, lookAtDue, endLeases, {}, { arm: () => {} }],
      ...[beginRounds, {}, metrics, machineClock, {}],
    ];
    const service = new TimerService(...(words as unknown as ConstructorParameters<typeof TimerService>));
    void service.sweep();
    await new Promise((resolve) => setImmediate(resolve));
    expect(looked.sort()).toEqual(['broken', 'hangs', 'quick']);
    expect(done.sort()).toEqual(['counts', ...sound.map((name) => `${name} sound`), 'leases q'].sort());
    expect(failed.sort()).toEqual(['clocks broken', `${broken} broken`].sort());
    // The one that hangs is not begun again, and all others have their turn.
    void service.sweep();
    await new Promise((resolve) => setImmediate(resolve));
    expect(looked.sort()).toEqual(['broken', 'broken', 'hangs', 'quick', 'quick']);
  });
});
