import { describe, expect, it } from '@jest/globals';
import { piecesOf, TextInPieces } from './text-in-pieces.js';

const numbers = (count: number) => Array.from({ length: count }, (_, i) => ({ i, text: `, "${i}" ]` }));

describe('a JSON text in pieces', () => {
  it.each([
    ['with nothing in it', {}],
    ['without a long list', { a: 1, b: [1, 2], c: undefined, d: { e: null } }],
    ['with one', { a: 1, b: numbers(10_001), c: 'ä', d: [] }],
    ['with several, one at the end', { b: numbers(25_000), c: undefined, d: numbers(20_000) }],
    [
      'with one that does not fit into columns',
      { a: numbers(10_001).map(({ i }) => [i]), b: numbers(10_001) },
    ],
  ])('is read as what it was: %s', (_, object) => {
    const pieces = [...piecesOf(object)];
    const text = JSON.stringify(object);
    if (pieces.length === 1) expect(pieces).toEqual([{ of: null, text }]);
    const read = new TextInPieces();
    for (const piece of pieces) read.add(piece);
    expect(JSON.stringify(read.parsed())).toBe(text);
  });

  it('is read as what it was if an earlier build wrote it, all as JSON', () => {
    const object = { a: numbers(25_000), b: 2 };
    const read = new TextInPieces();
    const element = (text: string) => ({ of: 'a', text });
    const list = JSON.stringify(object.a).slice(1, -1);
    const half = list.indexOf('{"i":12000,');
    read.add({ of: null, text: '{"a":[' });
    read.add(element(list.slice(0, half - 1)));
    read.add(element(list.slice(half - 1)));
    read.add({ of: null, text: '],"b":2}' });
    expect(JSON.stringify(read.parsed())).toBe(JSON.stringify(object));
  });

  it('has pieces of a bounded number of elements', () => {
    const pieces = [...piecesOf({ a: numbers(25_000), b: 2 })];
    expect(pieces.map(({ of }) => of)).toEqual([null, 'a', 'a', 'a', null]);
  });
});
