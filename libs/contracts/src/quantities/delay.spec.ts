import { describe, expect, it } from '@jest/globals';
import { parseDelayDuration, parseDelaySeconds, type WrittenScalar } from './delay.js';

const scalar = (text: string, type: WrittenScalar['type'] = 'text'): WrittenScalar => ({ type, text });

describe('the delay beside max', () => {
  it.each([
    ['0', 0n],
    ['7200', 7_200_000n],
    ['007', 7000n],
    ['9007199254740991', 9_007_199_254_740_991_000n],
    ['9007199254740992', 9_007_199_254_740_991_000n],
    ['9223372036854775807', 9_007_199_254_740_991_000n],
  ])('%s seconds, as a number or a text', (text, ms) => {
    expect(parseDelaySeconds(scalar(text, 'number'), '').ms).toBe(ms);
    expect(parseDelaySeconds(scalar(text), '').ms).toBe(ms);
  });

  it.each(['-1', '+5', '1.5', '60.0', '1e3', '5s', '0x10', '1_000', '', ' 5', 'five', '9223372036854775808'])(
    'refuses %j',
    (text) => {
      expect(() => parseDelaySeconds(scalar(text), 'p')).toThrow('write whole seconds');
    },
  );

  it('refuses nothing, and a truth value', () => {
    expect(() => parseDelaySeconds(scalar('', 'null'), 'p')).toThrow('write whole seconds');
    expect(() => parseDelaySeconds(scalar('true', 'boolean'), 'p')).toThrow('write whole seconds');
  });
});

describe('the delay among the properties', () => {
  it.each([
    ['50ms', 50n],
    ['2s', 2000n],
    ['5m', 300_000n],
    ['1h30m', 5_400_000n],
    ['30m1h', 5_400_000n],
    ['1.5h', 5_400_000n],
    ['.5s', 500n],
    ['1.s', 1000n],
    ['1ns', 1n],
    ['1us', 1n],
    ['999\u00b5s1000ns', 1n],
    ['999\u03bcs1001ns', 2n],
    ['1000001us', 1001n],
    ['0s', 0n],
    ['0', 0n],
    ['300', 300_000n],
    ['2562047h', 9_223_369_200_000n],
  ])('%s', (text, ms) => {
    expect(parseDelayDuration(scalar(text), '').ms).toBe(ms);
  });

  it('warns of a number without a unit, unless it is 0', () => {
    expect(parseDelayDuration(scalar('300', 'number'), '').bareNumber).toBe(true);
    expect(parseDelayDuration(scalar('300'), '').bareNumber).toBe(true);
    expect(parseDelayDuration(scalar('0', 'number'), '').bareNumber).toBe(false);
    expect(parseDelayDuration(scalar('5m'), '').bareNumber).toBe(false);
  });

  it.each([
    '',
    '-5m',
    '+5m',
    '5 m',
    ' 5m',
    '5M',
    '5d',
    '1.5',
    '.s',
    's',
    '5m3',
    '1,5h',
    '2562047h1ns',
    '2562048h',
  ])('refuses %j', (text) => {
    expect(() => parseDelayDuration(scalar(text), 'p')).toThrow(/write a duration|at most 2562047h/);
  });

  it('refuses nothing, a truth value, and a text without end', () => {
    expect(() => parseDelayDuration(scalar('', 'null'), 'p')).toThrow('write a duration');
    expect(() => parseDelayDuration(scalar('true', 'boolean'), 'p')).toThrow('write a duration');
    expect(() => parseDelayDuration(scalar('1ns'.repeat(100_000)), 'p')).toThrow('write a duration');
  });
});
