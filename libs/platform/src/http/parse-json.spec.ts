import { describe, expect, it } from '@jest/globals';
import { InputError } from '#contracts';
import { duplicateKey, parseJson } from './parse-json.js';

describe('a key that occurs twice', () => {
  it.each([
    ['{"a": 1, "a": 1}', 'a', 9],
    ['{"a": {"b": [1, {"c": 1, "d": 2, "c": 3}]}}', 'a.b[1].c', 33],
    ['[{"a": 1}, {"a": [], "b": {}, "a": 2}]', '[1].a', 30],
    ['{"a": 1, "\\u0061": 2}', 'a', 9],
    ['{"\\"": 1, "x": "\\\\", "\\"": 2}', '"', 21],
    ['{"__proto__": 1, "__proto__": 2}', '__proto__', 17],
  ])('in %s is found', (json, path, offset) => {
    expect(duplicateKey(json)).toEqual({ path, offset });
  });

  it.each([
    '{"a": "a", "b": "a", "c": ["a", "a", "a"]}',
    '[{"a": 1}, {"a": 1}]',
    '{"a": {"a": {"a": 1}}, "b": {"a": ",\\"a\\":"}}',
    '"a"',
    '[]',
    '{}',
    '{"a": 1, "A": 2}',
  ])('is none in %s', (json) => {
    expect(duplicateKey(json)).toBeUndefined();
  });

  it('is refused in a request, with its path and its second place', () => {
    const text = '{\n  "partition": "a",\n  "partition": "b"\n}';
    expect(() => parseJson(text, { depth: 10 })).toThrow(
      new InputError('partition', 'this key occurs twice in one object; keep one of them', 3, 3),
    );
  });
});
