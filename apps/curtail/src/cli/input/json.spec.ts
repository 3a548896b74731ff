import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { jsonFault, placeInJson } from './json.js';

const marks = [...',"}]x1:\\-.e/0+\r\t\u0001\u00a0\u2028\ufeff', '', '//', '/**/', '\\u12'];

describe('where a JSON text goes wrong', () => {
  it.each([
    ['{"a": 1,}', 1, 9],
    ['{"a": 1\n "b": 2}', 2, 2],
    ['{"a": nul}', 1, 7],
    ['[1, 2', 1, 6],
    ['{"a": 01}', 1, 8],
    ['{"a": "x\ny"}', 1, 7],
    ["{'a': 1}", 1, 2],
    ['{} {}', 1, 4],
    ['', 1, 1],
    ['[1 2]', 1, 4],
    ['{"a" 1}', 1, 6],
    ['{a: 1}', 1, 2],
    [']', 1, 1],
    ['[}', 1, 2],
  ])('%j: line %d, column %d', (text, line, column) => {
    expect(() => JSON.parse(text)).toThrow();
    expect(jsonFault(text)).toEqual({ line, column, tooDeep: false });
  });

  it('finds one exactly where a parser does', () => {
    const broken = fc.tuple(fc.jsonValue(), fc.nat(), fc.constantFrom(...marks)).map(([value, at, put]) => {
      const text = JSON.stringify(value, null, 1);
      const offset = at % (text.length + 1);
      return text.slice(0, offset) + put + text.slice(offset + 1);
    });
    fc.assert(
      fc.property(broken, (text) => {
        let refused = false;
        try {
          JSON.parse(text);
        } catch {
          refused = true;
        }
        expect(jsonFault(text) !== undefined).toBe(refused);
      }),
      { numRuns: 500 },
    );
  });

  it('takes any length, and any depth, and shows how deep it searched', () => {
    expect(jsonFault('['.repeat(1000))).toEqual({ line: 1, column: 1001, tooDeep: false });
    expect(jsonFault('['.repeat(300_000))).toEqual({ line: 1, column: 1001, tooDeep: true });
    expect(jsonFault('{"a":'.repeat(300_000))).toEqual({ line: 1, column: 5001, tooDeep: true });
    expect(jsonFault(`"${'\\n'.repeat(300_000)}`)).toEqual({ line: 1, column: 1, tooDeep: false });
  });
});

describe('where a field stands', () => {
  const text = `{
  "snapshot": {
    "queues": [
      {"path": "root"},
      {"path": "root.a", "max": {"memory": 5, "nvidia.com/gpu": -1}}
    ]
  },
  "tri\\u0067ger": {"queue": "x"}
}`;

  it.each([
    ['snapshot', 2, 15],
    ['snapshot.queues[1]', 5, 7],
    ['snapshot.queues[1].max.memory', 5, 44],
    ['snapshot.queues[1].max.nvidia.com/gpu', 5, 65],
    ['trigger.queue', 8, 29],
  ])('%s: line %d, column %d', (path, line, column) => {
    expect(placeInJson(text, [path])).toEqual({ line, column });
  });

  it('is searched down to a depth', () => {
    const deep = (levels: number) => `{"a": 1, "b": ${'['.repeat(levels)}${']'.repeat(levels)}, "c": 2}`;
    expect(placeInJson(deep(999), ['c'])).toEqual({ line: 1, column: 2020 });
    expect(placeInJson(deep(300_000), ['c', 'a'])).toEqual({ line: 1, column: 7 });
  });

  it('takes the first of several paths that is there', () => {
    expect(placeInJson(text, ['snapshot.queues[9].path', 'snapshot.queues[0].path', 'snapshot'])?.line).toBe(
      4,
    );
    expect(placeInJson(text, ['queues'])).toBeUndefined();
  });
});
