import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { exactJson } from './exact-json.js';

describe('JSON with every digit', () => {
  it('writes a bigint as a number', () => {
    expect(exactJson({ a: 9223372036854775807n, b: [1n], c: undefined })).toBe(
      '{"a":9223372036854775807,"b":[1]}',
    );
  });

  it('is JSON as it always is, but for that', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom(0, 2), (value, indent) => {
        const withBigint = exactJson([value, 1n], indent);
        expect(withBigint).toBe(JSON.stringify([value, 1], null, indent));
        expect(exactJson(value, indent)).toBe(JSON.stringify(value, null, indent));
      }),
    );
  });
});
