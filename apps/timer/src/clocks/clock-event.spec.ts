import { describe, expect, it } from '@jest/globals';
import { newEnforcement } from './clock-event.js';

describe('the id of a run', () => {
  it('is short, fits into a URL, and differs each time', () => {
    const ids = Array.from({ length: 1000 }, newEnforcement);
    for (const id of ids) expect(id).toMatch(/^e-[0-9a-hjkmnp-tv-z]{12}$/);
    expect(new Set(ids).size).toBe(1000);
  });
});
