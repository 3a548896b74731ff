import { describe, expect, it } from '@jest/globals';
import { AmountTexts } from './texts.js';

describe('amounts as people read them', () => {
  const texts = new AmountTexts();
  it.each([
    ['memory', 5, '5 B memory'],
    ['memory', 1000, '1 kB memory'],
    ['memory', 30e9, '30 GB memory'],
    ['memory', 38_250_000_000, '38.25 GB memory'],
    ['memory', 2 ** 30, '1 GiB memory'],
    ['memory', 1.5 * 2 ** 40, '1.5 TiB memory'],
    ['memory', 123_456_789_012, '123.457 GB memory'],
    ['memory', Number.MAX_SAFE_INTEGER, '9.007 PB memory'],
    ['vcore', 500, '0.5 vcore'],
    ['vcore', 32_000, '32 vcore'],
    ['nvidia.com/gpu', 2, '2 nvidia.com/gpu'],
  ])('%s %d: %s', (type, amount, text) => {
    expect(texts.of(type, amount)).toBe(text);
    expect(texts.of(type, amount)).toBe(text);
  });
  it('lists several without zeros', () => {
    expect(texts.list(['gpu', 'memory', 'vcore'], [1, 2000, 3000])).toBe('1 gpu, 2 kB memory and 3 vcore');
    expect(texts.list(['gpu', 'memory', 'vcore'], [0, 0, 3000])).toBe('3 vcore');
    expect(texts.list(['gpu'], [0])).toBe('nothing');
  });
});
