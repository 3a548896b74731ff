import { describe, expect, it } from '@jest/globals';
import { isLimitedToObserve, type Mode, modeInForce, whyObserved } from './mode-in-force.js';

/** CURTAIL_MODE, CURTAIL_DEFAULT_MODE, the mode that was set for the partition; the mode that counts, and why. */
const all: [Mode | undefined, Mode, Mode | null, Mode, string][] = [
  [undefined, 'enforce', null, 'enforce', 'default'],
  [undefined, 'enforce', 'observe', 'observe', 'set'],
  [undefined, 'enforce', 'enforce', 'enforce', 'set'],
  [undefined, 'observe', null, 'observe', 'default'],
  [undefined, 'observe', 'observe', 'observe', 'set'],
  [undefined, 'observe', 'enforce', 'enforce', 'set'],
  ['observe', 'enforce', null, 'observe', 'limit'],
  ['observe', 'enforce', 'observe', 'observe', 'limit'],
  ['observe', 'enforce', 'enforce', 'observe', 'limit'],
  ['observe', 'observe', null, 'observe', 'limit'],
  ['observe', 'observe', 'observe', 'observe', 'limit'],
  ['observe', 'observe', 'enforce', 'observe', 'limit'],
  ['enforce', 'enforce', null, 'enforce', 'default'],
  ['enforce', 'enforce', 'observe', 'observe', 'set'],
  ['enforce', 'enforce', 'enforce', 'enforce', 'set'],
  ['enforce', 'observe', null, 'observe', 'default'],
  ['enforce', 'observe', 'observe', 'observe', 'set'],
  ['enforce', 'observe', 'enforce', 'enforce', 'set'],
];

describe('the mode that counts', () => {
  it.each(all)(
    'CURTAIL_MODE %s, default %s, set %s: %s, by the %s',
    (mode, defaultMode, stored, expected, because) => {
      expect(modeInForce(stored, { mode, defaultMode })).toEqual({ mode: expected, because });
    },
  );

  it('is limited by observe alone', () => {
    expect(
      [undefined, 'enforce', 'observe'].map((mode) => isLimitedToObserve({ mode: mode as Mode })),
    ).toEqual([false, false, true]);
  });

  it('names the setting where that is the reason', () => {
    expect(whyObserved({ because: 'limit' }, 'blue')).toContain('CURTAIL_MODE=observe');
    expect(whyObserved({ because: 'set' }, 'blue')).toBe('Partition blue is only observed');
    expect(whyObserved({ because: 'default' })).toBe('The partition is only observed');
  });
});
