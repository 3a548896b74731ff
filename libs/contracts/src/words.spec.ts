import { describe, expect, it } from '@jest/globals';
import { counted } from './words.js';

describe('a number of things', () => {
  it.each([
    [counted(0, 'queue'), '0 queues'],
    [counted(1, 'queue'), '1 queue'],
    [counted(2n, 'queue'), '2 queues'],
    [counted(1n, 'copy', 'copies'), '1 copy'],
    [counted(3, 'copy', 'copies'), '3 copies'],
  ])('is %j', (text, expected) => {
    expect(text).toBe(expected);
  });
});
