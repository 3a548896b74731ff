import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { isLikeKnownJson } from './known-json.js';
import { checkJson } from './parse-json.js';

const limits = { depth: 6, values: 2000 };
const isAccepted = (text: string) => {
  const answer = checkJson({ text, ...limits });
  return 'text' in answer && answer.text === text;
};

const queue = (name: string, ...queues: object[]) => ({ name, max: { memory: '1 "}G', vcore: 2 }, queues });
const configuration = { partitions: [queue('a', queue('b'), queue('ü')), queue('c')] };
const known = JSON.stringify(configuration);
const changed = (from: string, to: string) => {
  if (!known.includes(from)) throw new Error(`no ${from}`);
  return known.replace(from, to);
};

describe('a text of JSON that is like a known one', () => {
  it.each([
    ['the same', known],
    ['another value', changed('"vcore":2', '"vcore":3')],
    ['another string with brackets', changed('1 \\"}G', '}]{')],
    ['a further entry', changed('{"name":"ü"', '{"name":"d"},{"name":"ü"')],
    ['an entry less', changed(JSON.stringify(queue('b')), '').replace('[,', '[')],
  ])('is known to be right: %s', (_what, text) => {
    expect(isAccepted(text)).toBe(true);
    expect(isLikeKnownJson(text, known, limits)).toBe(true);
  });

  it.each([
    ['a number in another form', changed('"vcore":2', '"vcore":2.0')],
    ['a space', changed('"vcore":2', '"vcore": 2')],
    ['a key twice', changed('"vcore":2', '"vcore":2,"vcore":2')],
    ['a string that does not end', changed('"vcore":2', '"vcore":"2')],
    ['a bracket too many', changed('"vcore":2}', '"vcore":2}}')],
    ['a comma too many', changed('"vcore":2', '"vcore":2,')],
    ['keys that would change places', changed('"vcore":2', '"1":2')],
    ['a NUL', changed('"vcore":2', '"vcore":"\\u0000"')],
    ['too deep', changed('"vcore":2', '"vcore":[[[[1]]]]')],
    ['a text less', known.slice(0, -1)],
    ['a text more', `${known}}`],
    ['nothing', ''],
  ])('is left to the whole check: %s', (_what, text) => {
    expect(isAccepted(text)).toBe(false);
    expect(isLikeKnownJson(text, known, limits)).toBe(false);
  });

  it('may have as many values as the whole check permits', () => {
    const text = changed('"vcore":2', '"vcore":[2,3,"1,[{"]');
    const answers = Array.from({ length: 60 }, (_, values) => {
      const most = { depth: 6, values };
      return ['text' in checkJson({ text, ...most }), isLikeKnownJson(text, known, most)];
    });
    for (const [isRight, isKnownToBe] of answers) expect(isKnownToBe).toBe(isRight);
    expect(answers.flat()).toEqual(expect.arrayContaining([true, false]));
  });

  it('is accepted only if the whole check accepts it, whatever is changed', () => {
    let accepted = 0;
    const piece = fc.constantFrom(
      ...['', '1', '{}', '[]', '"', '\\', '{', '}', '[', ']', ',', ':', ' ', '"a":1', ',"a":1', '1e5'],
      ...['\\u0000', '{"name":"x"}', ',{"name":"x"}', 'null', '""', '"name":"y",', '\\ud800'],
    );
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.nat(known.length), fc.nat(24), piece), { minLength: 1, maxLength: 2 }),
        (changes) => {
          const text = changes.reduce(
            (now, [at, gone, put]) => now.slice(0, at) + put + now.slice(at + gone),
            known,
          );
          if (!isLikeKnownJson(text, known, limits)) return;
          accepted++;
          expect([text, isAccepted(text)]).toEqual([text, true]);
        },
      ),
      { numRuns: Number(process.env.FC_RUNS ?? 20_000) },
    );
    expect(accepted).toBeGreaterThan(100);
  });
});
