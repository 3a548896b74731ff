import { describe, expect, it } from '@jest/globals';
import { settingChanges } from './settings.js';

const issuesOf = (changes: unknown) =>
  settingChanges.safeParse(changes).error?.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);

describe('changes of settings', () => {
  it.each([
    [
      { flapping: 'maybe' },
      'flapping: it must be false (off), or an object such as {"turns": 4, "windowSeconds": 3600}',
    ],
    [{ flapping: { turns: 4 } }, 'flapping: flapping.windowSeconds: '],
    [{ protect: 'maybe' }, 'protect: it must be'],
  ])('state what a value must be that may have several forms: %j', (changes, expected) => {
    expect(issuesOf(changes)).toEqual([expect.stringContaining(expected)]);
  });

  it('permit each form', () => {
    expect(issuesOf({ flapping: false, protect: { users: ['ann'] } })).toBeUndefined();
    expect(issuesOf({ flapping: { turns: 4, windowSeconds: 60 }, protect: true })).toBeUndefined();
  });
});
