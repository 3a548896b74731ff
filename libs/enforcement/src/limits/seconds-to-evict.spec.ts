import { expect, it } from '@jest/globals';
import { secondsToEvict } from './token-bucket.js';

it.each([
  [0, 10, undefined, 0],
  [1, 1, undefined, 0],
  [11, 10, undefined, 1],
  [15_834, 10, undefined, 1583],
  [101, 50, 10, 10],
  [101, 10, 50, 10],
])('%i evictions at %s and %s per second take at least %i s', (victims, queue, partition, seconds) => {
  const rates = { victimsPerSecond: queue, partitionVictimsPerSecond: partition };
  expect(secondsToEvict(victims, rates)).toBe(seconds);
});
