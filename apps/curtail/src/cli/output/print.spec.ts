import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { parse } from 'yaml';
import { exactJson, yamlText } from './print.js';

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

  it('escapes what could repaint a terminal or reorder its text, and stays the same JSON', () => {
    const hidden = 'a\u009b2J\u007f\u202egpj\u2066\u2069\u200f\u061c\u2028\u001b[2J';
    for (const value of [{ [hidden]: hidden }, { [hidden]: [hidden, 1n] }]) {
      const text = exactJson(value, 2);
      expect(text).toContain('\\u009b2J\\u007f\\u202egpj\\u2066\\u2069\\u200f\\u061c\\u2028\\u001b[2J');
      expect(text).not.toMatch(/[^\n -~]/);
      expect(Object.keys(JSON.parse(text))).toEqual([hidden]);
      expect([Object.values(JSON.parse(text))[0]].flat()[0]).toBe(hidden);
    }
    expect(exactJson('Größe 東京 🚀')).toBe('"Größe 東京 🚀"');
  });
});

describe('YAML', () => {
  it('has every character of a text, also at the end and where it is escaped', async () => {
    const text = fc.string({
      unit: fc.constantFrom('a', ': ', '\n', '\r', ' ', '#', '\u009b', '\u202e', '東'),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(fc.dictionary(text, text)), async (value) => {
        const written = await yamlText(value);
        expect(parse(written.endsWith('\n') ? `${written}\n` : written)).toEqual(value);
        expect(written).not.toMatch(/[\u009b\u202e]/);
      }),
    );
  });

  it('keeps text of several lines as it is, however long they are', async () => {
    const body = `queues:\n  - name: root # ${'a comment '.repeat(12)}\n`;
    expect(await yamlText({ body, note: 'a word '.repeat(20) })).toBe(
      `body: |\n  queues:\n    - name: root # ${'a comment '.repeat(12)}\nnote: "${'a word '.repeat(20)}"`,
    );
  });
});
