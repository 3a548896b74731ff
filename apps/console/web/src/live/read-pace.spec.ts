import { afterEach, beforeEach, expect, it, jest } from '@jest/globals';
import { ReadPace } from './read-pace.js';

let reads: number[];
let readFor: string[][];
let took: number;
let pace: ReadPace<string>;
let now: number;

beforeEach(() => {
  jest.useFakeTimers();
  reads = [];
  readFor = [];
  now = 0;
  took = 10;
  pace = new ReadPace(
    async (news) => {
      reads.push(now);
      readFor.push(news);
      await new Promise((resolve) => setTimeout(resolve, took));
    },
    () => now,
  );
});
afterEach(() => {
  pace.stop();
  jest.useRealTimers();
});

/** Lets time pass, with news every 50 ms. */
async function pass(ms: number, hasNews: boolean): Promise<void> {
  for (const end = now + ms; now < end; ) {
    if (hasNews && now % 50 === 0) pace.news('one');
    await jest.advanceTimersByTimeAsync(10);
    now += 10;
  }
}

it('reads at once after a quiet time, and once more when the news have settled', async () => {
  pace.news('one');
  await pass(3000, false);
  expect(reads).toEqual([0, 500]);
});

it('reads each of a few news at once, also where reading takes long', async () => {
  took = 300;
  for (let i = 0; i < 4; i++) {
    const before = reads.length;
    pace.news('one');
    await pass(20, false);
    expect(reads.length).toBe(before + 1);
    await pass(1480, false);
  }
});

it('reads so seldom while news go on that a twentieth of the time is spent on it', async () => {
  took = 100;
  // What was spared up is used first.
  await pass(30_000, true);
  const before = reads.length;
  await pass(40_000, true);
  expect(reads.length - before).toBeGreaterThanOrEqual(17);
  expect(reads.length - before).toBeLessThanOrEqual(21);
});

it('reads at least every 15 s, however long it takes', async () => {
  took = 5000;
  await pass(30_000, true);
  const before = reads.length;
  await pass(60_000, true);
  expect(reads.length - before).toBe(3);
});

it('reads for all news, and again for those that the tables may not have had', async () => {
  pace.news('one');
  await pass(100, false);
  pace.news('two', 'three');
  await pass(3000, false);
  const all = ['one', 'two', 'three'];
  expect(readFor).toEqual([['one'], all, all]);
  pace.news('four');
  await pass(3000, false);
  expect(readFor.slice(3)).toEqual([['four'], ['four']]);
});

it('waits for the next of news that come evenly, instead of reading once more after each', async () => {
  for (let i = 0; i < 10; i++) {
    pace.news('one');
    await pass(2000, false);
  }
  await pass(3000, false);
  // The first ones are read twice, the last one too.
  expect(reads).toHaveLength(10 + 4 + 1);
});

it('reads soon after the last news, also where it would pause for long while they go on', async () => {
  took = 300;
  await pass(30_000, true);
  const end = now;
  await pass(2500, false);
  expect(reads.some((at) => at >= end + 450)).toBe(true);
});

it('reads after the last news, whatever is read again meanwhile that no event tells of', async () => {
  took = 300;
  await pass(30_000, true);
  const end = now;
  for (let i = 0; i < 8; i++) {
    pace.again('usage');
    await pass(300, false);
  }
  expect(reads.some((at) => at >= end + 450)).toBe(true);
  expect(readFor.at(-1)).toContain('one');
});

it('reads nothing once it is stopped', async () => {
  pace.news('one');
  pace.stop();
  await pass(3000, false);
  expect(reads).toEqual([]);
});
