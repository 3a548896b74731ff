import type { Doorbell, Ring } from '@curtail/timers';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Bell } from './bell.js';

describe('the bell', () => {
  let asked: Ring[][];
  let bell: Bell;
  beforeEach(() => {
    jest.useFakeTimers();
    asked = [];
    const doorbell = {
      arm: async (rings: Ring[]) => void asked.push(rings),
    } as Partial<Doorbell> as Doorbell;
    bell = new Bell(doorbell);
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  const ring = (name: string, inMs: number, generation = 1): Ring => ({
    kind: 'quota-decrease',
    partition: 'default',
    name,
    generation,
    dueAt: new Date(Date.now() + inMs),
  });

  it('asks for what rings soon at once', () => {
    bell.arm([ring('root.a', 20_000), ring('root.b', -5)]);
    expect(asked.flat().map(({ name }) => name)).toEqual(['root.a', 'root.b']);
  });

  it('lets what is far off gather, long before it could be late, and asks for the newest of each timer', async () => {
    bell.arm([ring('root.a', 3_600_000, 1), ring('root.soon', 1000)]);
    bell.arm([ring('root.a', 7_200_000, 2), ring('root.b', 60_000)]);
    expect(asked.flat().map(({ name }) => name)).toEqual(['root.soon']);
    await jest.advanceTimersByTimeAsync(10_000);
    expect(
      asked
        .flat()
        .slice(1)
        .map(({ name, generation }) => `${name} ${generation}`),
    ).toEqual(['root.a 2', 'root.b 1']);
  });

  it('lets them gather while more come, and none until it would ring soon', async () => {
    for (let seconds = 0; seconds < 12; seconds += 3) {
      bell.arm([ring(`root.q${seconds}`, 60_000)]);
      await jest.advanceTimersByTimeAsync(3000);
    }
    expect(asked).toEqual([]);
    bell.arm([ring('root.q12', 60_000)]);
    await jest.advanceTimersByTimeAsync(3000);
    expect(asked.flat()).toHaveLength(5);
  });

  it('asks for many a few at a time, for the doorbell rings for others meanwhile', async () => {
    bell.arm(Array.from({ length: 1200 }, (_, i) => ring(`root.q${i}`, 3_600_000)));
    await jest.advanceTimersByTimeAsync(10_000);
    expect(asked.map((rings) => rings.length)).toEqual([500, 500, 200]);
  });

  it('asks for what has gathered when it is stopped', async () => {
    bell.arm([ring('root.a', 3_600_000)]);
    await bell.stop();
    expect(asked.flat().map(({ name }) => name)).toEqual(['root.a']);
  });

  it('forgets an older ring of a timer that is to ring soon now', async () => {
    bell.arm([ring('root.a', 3_600_000, 1)]);
    bell.arm([ring('root.a', 1000, 2)]);
    await bell.stop();
    expect(asked.flat().map(({ generation }) => generation)).toEqual([2]);
  });
});
