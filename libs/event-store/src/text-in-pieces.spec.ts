import { describe, expect, it } from '@jest/globals';
import { piecesOf, TextInPieces } from './text-in-pieces.js';

const numbers = (count: number) => Array.from({ length: count }, (_, i) => ({ i, text: `, "${i}" ]` }));

describe('a JSON text in pieces', () => {
  it.each([
    ['with nothing in it', {}],
    ['without a long list', { a: 1, b: [1, 2], c: undefined, d: { e: null } }],
    ['with one', { a: 1, b: numbers(10_001), c: 'ä', d: [] }],
    ['with several, one at the end', { b: numbers(25_000), c: undefined, d: numbers(20_000) }],
  ])('equals the whole text, and is read as such: %s', (_, object) => {
    const pieces = [...piecesOf(object)];
    const text = JSON.stringify(object);
    expect(pieces.map((piece) => piece.text).join('')).toBe(text);
    const read = new TextInPieces();
    for (const piece of pieces) read.add(piece);
    expect(JSON.stringify(read.parsed())).toBe(text);
  });

  it('has pieces of a bounded number of elements', () => {
    const pieces = [...piecesOf({ a: numbers(25_000), b: 2 })];
    expect(pieces.map(({ of }) => of)).toEqual([null, 'a', 'a', 'a', null]);
  });
});
