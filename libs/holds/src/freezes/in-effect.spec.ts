import { expect, it } from '@jest/globals';
import type { Freeze } from './freeze.js';
import { freezeStops, frozenAt, frozenClock } from './in-effect.js';

const day = (hour: number, date = 25) => `2026-11-${date}T${String(hour).padStart(2, '0')}:00:00.000Z`;
const ms = (hour: number, date?: number) => Date.parse(day(hour, date));

function freeze(queue: string | null, from: number, until: number, since = from): Freeze {
  return {
    ...{ freeze: `f-${queue}-${from}`, queue, by: 'ann', since: day(since) },
    window: { from: day(from), until: day(until) },
  };
}

it('a freeze holds the queue, those below, and those above, and no other', () => {
  const freezes = [freeze('root.a.b', 8, 10)];
  const until = (queue: string) => frozenAt(queue, freezes, ms(9))?.until;
  expect(['root.a.b', 'root.a.b.c', 'root.a', 'root'].map(until)).toEqual(Array(4).fill(day(10)));
  expect(['root.a.bc', 'root.a.x', 'root.b'].map(until)).toEqual([undefined, undefined, undefined]);
  expect(frozenAt('root.x', [freeze(null, 8, 10)], ms(9))?.until).toBe(day(10));
});

it('a freeze ends with the last of the windows that overlap or touch, and names that one', () => {
  const freezes = [
    freeze('root.a', 8, 10),
    freeze(null, 9, 12),
    freeze('root.a', 12, 13),
    freeze('root.a', 14, 15),
  ];
  expect(frozenAt('root.a', freezes, ms(8))).toEqual({
    until: day(13),
    freeze: { queue: 'root.a', by: 'ann', frozenUntil: day(13) },
  });
  expect(frozenAt('root.a', freezes, ms(13))).toBeUndefined();
});

it('answers for windows without an end after a bounded number of them', () => {
  const forever: Freeze = {
    ...{ freeze: 'f', queue: null, by: 'ann', since: day(0) },
    window: { start: '2026-11-01T00:00:00', timeZone: 'UTC', duration: 'P1D', rule: 'FREQ=DAILY' },
  };
  expect(Date.parse(frozenAt('root', [forever], ms(9))!.until)).toBeGreaterThan(ms(9) + 90 * 86_400_000);
});

it('a freeze has no effect before it was set', () => {
  expect(frozenAt('root.a', [freeze('root.a', 8, 10, 9)], ms(8))).toBeUndefined();
});

it('a clock is frozen by the freeze that it will meet when it falls due', () => {
  const freezes = [freeze('root.a', 8, 10), freeze('root.a', 14, 15)];
  expect(frozenClock('root.a', freezes, ms(10), ms(9))?.until).toBe(day(10));
  expect(frozenClock('root.a', freezes, ms(11), ms(9))).toBeUndefined();
  expect(frozenClock('root.a', freezes, ms(14), ms(9))?.until).toBe(day(15));
  expect(frozenClock('root.a', freezes, ms(14), ms(16))).toBeUndefined();
});

it('a freeze stops a run that was opened in the window, and none that was opened before', () => {
  const freezes = [freeze('root.a', 8, 10)];
  const stop = { queue: 'root.a', by: 'ann', frozenUntil: day(10) };
  expect(freezeStops(freezes, ms(9))).toEqual([stop]);
  expect(freezeStops(freezes, ms(9), ms(8))).toEqual([stop]);
  expect(freezeStops(freezes, ms(9), ms(8) - 1)).toEqual([]);
  expect(freezeStops(freezes, ms(10))).toEqual([]);
});

it('a freeze lets a run continue that was opened before it was set', () => {
  expect(freezeStops([freeze('root.a', 8, 10, 9)], ms(9), ms(9) - 1)).toEqual([]);
});
