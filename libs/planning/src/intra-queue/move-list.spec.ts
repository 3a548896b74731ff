import { expect, it } from '@jest/globals';
import { MoveList } from './move-list.js';

it('the list of moves has all since the last call, however many', () => {
  const list = new MoveList();
  const write = (count: number) => {
    for (let i = 0; i < count; i++) list.add(i, i + 1, new Float64Array([i, 2 * i]));
  };
  const written = (count: number) => {
    const numbers = Array.from({ length: count }, (_, i) => i);
    return {
      from: Int32Array.from(numbers),
      to: Int32Array.from(numbers, (i) => i + 1),
      amount: Float64Array.from(numbers.flatMap((i) => [i, 2 * i])),
    };
  };
  write(5000);
  expect(list.drain()).toEqual(written(5000));
  write(3);
  expect(list.drain()).toEqual(written(3));
});
