import { describe, expect, it } from '@jest/globals';
import type { Worker } from 'bullmq';
import { breathing } from './breathing.js';

/** Requests a job as often as a loop without a pause would, until something else in the process has run. */
async function asksUntilSomethingElseRuns(answer: () => Promise<unknown>): Promise<number> {
  const worker = { _getNextJob: answer };
  breathing(worker as unknown as Worker);
  let hasRun = false;
  setImmediate(() => {
    hasRun = true;
  });
  for (let asks = 1; asks <= 10_000; asks++) {
    await worker._getNextJob().catch(() => {});
    if (hasRun) return asks;
  }
  return Number.POSITIVE_INFINITY;
}

describe('a worker that breathes', () => {
  it.each([
    ['there is no job', async () => undefined],
    [
      'no one can be asked',
      async () => {
        throw new Error('Cannot use a pool after calling end on the pool');
      },
    ],
  ])('lets others run while it is answered at once that %s', async (_, answer) => {
    expect(await asksUntilSomethingElseRuns(answer)).toBeLessThan(100);
  });

  it('passes jobs and errors on', async () => {
    const job = { id: '1' };
    const answers = [async () => job, async () => Promise.reject(new Error('gone'))];
    const worker = { _getNextJob: () => answers.shift()!() };
    breathing(worker as unknown as Worker);
    expect(await worker._getNextJob()).toBe(job);
    await expect(worker._getNextJob()).rejects.toThrow('gone');
  });
});
