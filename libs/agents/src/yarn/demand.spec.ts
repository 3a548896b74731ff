import { describe, expect, it } from '@jest/globals';
import type { YarnContainer } from './answers.js';
import { type Demand, demandOf } from './demand.js';

const resources = { memory: 1024, vcore: 1000 };
const other = { memory: 256, vcore: 1000 };

interface Shown {
  /** Numbers of the running containers. */
  held: number[];
  pending: number;
  isSettled?: boolean;
}

const upTo = (count: number, from = 0) => Array.from({ length: count }, (_, index) => from + index);

/** What looks in a row, with a master of another size, say that the application waits for. */
function waiting(looks: readonly Shown[]): number[] {
  let before: (Parameters<typeof demandOf>[0] & { demand: Demand }) | undefined;
  return looks.map(({ held, pending, isSettled = true }) => {
    const container = (id: string, of = resources): YarnContainer => ({
      ...{ id, node: 'n1:1', resources: of, startedAt: 1 },
    });
    const shown = {
      app: { pending: [{ resources, count: pending }] },
      containers: [container('master', other), ...held.map((number) => container(`task-${number}`))],
      isSettled,
    };
    const demand = demandOf(shown, before);
    before = { ...shown, demand };
    return [...demand.values()].reduce((sum, { waiting: one }) => sum + one, 0);
  });
}

describe('the demand of an application', () => {
  it('counts as far as two looks in a row show it', () => {
    const of = (pending: number): Shown => ({ held: [], pending });
    expect(waiting([of(123), of(50), of(80), of(80)])).toEqual([0, 50, 50, 80]);
  });

  it('stays what it was while containers start and requests cross, as a real manager showed it', () => {
    const shown = [
      [0, 50],
      [0, 50],
      [28, 32],
      [34, 28],
      [45, 11],
      [55, 9],
      [50, 0],
    ] as const;
    const looks = shown.map(([held, pending]) => ({ held: upTo(held), pending }));
    expect(waiting(looks)).toEqual([0, 50, 22, 16, 5, 0, 0]);
  });

  it('is not believed at once where an agent begins while containers start', () => {
    const looks = [
      { held: upTo(28), pending: 32 },
      { held: upTo(34), pending: 28 },
      { held: upTo(34), pending: 16 },
      { held: upTo(34), pending: 16 },
    ];
    expect(waiting(looks)).toEqual([0, 0, 16, 16]);
  });

  it('grows for an application whose containers take turns, but for those that have just started', () => {
    const busy = (turn: number, pending: number) => ({ held: upTo(100, 5 * turn), pending });
    expect(waiting([busy(0, 1000), busy(1, 1000), busy(2, 1500), busy(3, 1500)])).toEqual([
      0, 900, 995, 1495,
    ]);
  });

  it('stays where a container that was lost is asked for again, and falls with one that ends', () => {
    const looks = [
      { held: upTo(10), pending: 5 },
      { held: upTo(10), pending: 5 },
      { held: upTo(10), pending: 5 },
      { held: upTo(8), pending: 7 },
      { held: upTo(6), pending: 7 },
    ];
    expect(waiting(looks)).toEqual([0, 0, 5, 7, 7]);
  });

  it('is no higher where some containers have ended and others started, and the requests for these still show', () => {
    const looks = [
      { held: upTo(10), pending: 5 },
      { held: upTo(10), pending: 5 },
      { held: upTo(10), pending: 5 },
      { held: upTo(10, 3), pending: 5 },
      { held: upTo(10, 3), pending: 2 },
    ];
    expect(waiting(looks)).toEqual([0, 0, 5, 2, 2]);
  });

  it('of a look that does not fit itself is nothing, and the one before holds afterwards', () => {
    const looks = [
      { held: [], pending: 50 },
      { held: [], pending: 50 },
      { held: upTo(3), pending: 60, isSettled: false },
      { held: upTo(3), pending: 60 },
      { held: upTo(3), pending: 60 },
    ];
    expect(waiting(looks)).toEqual([0, 50, 0, 47, 60]);
  });
});
