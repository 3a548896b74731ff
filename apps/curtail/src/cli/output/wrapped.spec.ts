import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { hanging, widthOf, wrapped } from './width.js';

describe('a sentence that is longer than a line', () => {
  it('goes on below, further in', () => {
    expect(hanging('urgent-fix waits in root.shared for 50 GB memory', 30, '    ')).toEqual([
      '    urgent-fix waits in',
      '      root.shared for 50 GB',
      '      memory',
    ]);
  });

  it('stays as it is where it fits', () => {
    expect(hanging('short', 30, '  ')).toEqual(['  short']);
    expect(hanging('of any length', Number.POSITIVE_INFINITY)).toEqual(['of any length']);
  });

  it('is broken at blanks only: a name that is longer than the line stays whole', () => {
    const name = 'spark-driver-7f9c4d5b8-x2x9q';
    expect(wrapped(`evicted ${name} at once`, 16)).toEqual(['evicted', name, 'at once']);
    expect(hanging(`evicted ${name} at once`, 20)).toEqual(['evicted', `  ${name}`, '  at once']);
  });

  it('keeps each letter as it came, for names are copied: also those of two characters for which there is one', () => {
    const name = 'Ko\u0308ln';
    expect(name.normalize()).not.toBe(name);
    expect(wrapped(`evicted from root.${name}`, 12)).toEqual(['evicted from', `root.${name}`]);
  });

  it('loses nothing but blanks, and no line is too long', () => {
    const word = fc.string({ unit: fc.constantFrom('a', 'bcd', ',', '😀'), maxLength: 9 });
    const text = fc.array(word).map((words) => words.join(' '));
    fc.assert(
      fc.property(text, fc.integer({ min: 30, max: 60 }), (sentence, width) => {
        const lines = hanging(sentence, width, '  ');
        expect(lines.join('').replaceAll(' ', '')).toBe(sentence.replaceAll(' ', ''));
        for (const line of lines) expect(widthOf(line)).toBeLessThanOrEqual(width);
      }),
    );
  });
});

describe('a list of amounts', () => {
  it('is broken behind its items', () => {
    expect(wrapped('100 GB, 100 vcore', 10, 'items')).toEqual(['100 GB,', '100 vcore']);
  });

  it('is broken at the blanks of one that is longer than a line', () => {
    expect(wrapped('3 nvidia.com/gpu, 1 GB', 15, 'items')).toEqual(['3', 'nvidia.com/gpu,', '1 GB']);
  });
});
