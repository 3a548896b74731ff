import { expect, it, jest } from '@jest/globals';
import fc from 'fast-check';
import { RepeatedTexts } from './repeated-texts.js';

const bytes = fc.oneof(
  fc.constantFrom('ce_id', 'ce_ie', 'naïve', '', 'x'.repeat(101)).map((text) => Buffer.from(text)),
  fc.constantFrom('naïve', 'na\xefv').map((text) => Buffer.from(text, 'latin1')),
  fc.uint8Array({ maxLength: 6 }).map((array) => Buffer.from(array)),
);

it('decodes texts as a buffer does, whatever was in the same place before', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.nat(40), bytes), { maxLength: 30 }), (all) => {
      const texts = new RepeatedTexts();
      const whole = Buffer.concat(all.map(([, one]) => one));
      let from = 0;
      for (const [place, one] of all) {
        const to = from + one.length;
        expect(texts.decode(place % 3, one)).toBe(one.toString());
        expect(texts.decode(place, whole, from, to)).toBe(one.toString());
        from = to;
      }
    }),
    { numRuns: 500, seed: 1 },
  );
});

it('decodes the same bytes in the same place once, unless they are many', () => {
  const texts = new RepeatedTexts();
  const timesDecoded = (text: string) => {
    const buffer = Buffer.from(text);
    const decoded = jest.spyOn(buffer, 'toString');
    for (let time = 0; time < 3; time++) expect(texts.decode(0, buffer)).toBe(text);
    return decoded.mock.calls.length;
  };
  expect(timesDecoded('ce_source')).toBe(1);
  expect(timesDecoded('x'.repeat(1000))).toBe(3);
  expect(timesDecoded('ce_source')).toBe(0);
});
