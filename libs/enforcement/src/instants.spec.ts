import { describe, expect, it } from '@jest/globals';
import { addMs, toMs } from './instants.js';

describe('instants', () => {
  it('adds to the millisecond', () => {
    expect(addMs('2026-11-21T10:00:00.001Z', 59_999)).toBe('2026-11-21T10:01:00.000Z');
  });

  it.each([Number.MAX_SAFE_INTEGER, 1e15, 253_402_300_800_000])(
    '%p ms from 1970 are kept inside the year 9999',
    (ms) => {
      expect(addMs('1970-01-01T00:00:00.000Z', ms)).toBe('9999-12-31T23:59:59.999Z');
    },
  );

  it('stays in the years that an instant can name, also backwards', () => {
    expect(addMs('1970-01-01T00:00:00.000Z', -1e15)).toBe('0000-01-01T00:00:00.000Z');
  });

  it('refuses what is no instant', () => {
    expect(() => toMs('yesterday')).toThrow('"yesterday" is not an RFC 3339 instant');
  });
});
