import { describe, expect, it } from '@jest/globals';
import { machineClock } from '../../../test/support/machine-clock.js';
import type { LookOptions, LookOutcome } from './look-at-due.js';
import { TimerService } from './timer.service.js';

const nothing: LookOutcome = { latenessMs: [], more: false, left: false, rings: [] };

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
    const bell = { arm: () => {} };
    const unused = {} as never;
    const words = [
      ...[unused, unused, unused, lookAtDue, unused, unused, bell],
      ...[unused, unused, unused, unused, machineClock],
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
