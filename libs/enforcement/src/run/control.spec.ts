import { describe, expect, it } from '@jest/globals';
import { stoppedBy } from './control.js';

describe('who stopped evictions, and why', () => {
  it.each([
    ['wrong quota', 'User ann stopped evictions in root.a (wrong quota).'],
    [undefined, 'User ann stopped evictions in root.a.'],
    // As the column of the table has it.
    [null, 'User ann stopped evictions in root.a.'],
    ['', 'User ann stopped evictions in root.a.'],
  ])('reason %j', (reason, sentence) => {
    expect(stoppedBy({ queue: 'root.a', by: 'ann', ...(reason !== undefined && { reason }) })).toBe(sentence);
  });
});
