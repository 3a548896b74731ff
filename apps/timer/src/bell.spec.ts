import type { Doorbell, Ring } from '@curtail/timers';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { machineClock } from '../../../test/support/machine-clock.js';
import { Bell } from './bell.js';
import { endOfSlot } from './slots.js';

describe('the bell', () => {
  let asked: Ring[][];
  let bell: Bell;
  beforeEach(() => {
    jest.useFakeTimers();
    asked = [];
    const doorbell = {
      arm: async (rings: Ring[]) => void asked.push(rings),
    } as Partial<Doorbell> as Doorbell;
    bell = new Bell(doorbell, machineClock);
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  const ring = (name: string, inMs: number, generation = 1): Ring => ({
    kind: 'starvation',
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

  describe('of clocks of quotas', () => {
    const clock = (name: string, inMs: number): Ring => ({ ...ring(name, inMs), kind: 'quota-decrease' });
    const at = (ms: number) => new Date(Date.now() + ms);
    beforeEach(() => {
      jest.setSystemTime(new Date('2026-11-22T10:00:00.000Z'));
    });

    it('asks for one ring for all that are due within a slot, before it begins', () => {
      bell.arm([clock('root.a', 20_000), clock('root.b', 20_499), clock('root.c', 20_500)]);
      expect(asked.flat().map(({ kind, dueAt }) => [kind, dueAt])).toEqual([
        ['quota-decrease-slot', at(18_000)],
        ['quota-decrease-slot', at(18_500)],
      ]);
      expect(asked.flat().map((slot) => endOfSlot(slot))).toEqual([at(20_500), at(21_000)]);
    });

    it('asks for the slots of what is far off once, however often their clocks are set', async () => {
      for (let i = 0; i < 10; i++) bell.arm([clock(`root.q${i}`, 3_600_000)]);
      await jest.advanceTimersByTimeAsync(10_000);
      expect(asked.flat()).toHaveLength(1);
    });

    it('has what is due too soon for the doorbell looked at, once for each moment, a little ahead of it', async () => {
      const looked: (Date | undefined)[] = [];
      bell.whenLookWanted(async (_, by) => void looked.push(by));
      const [passed, first, second] = [at(-1), at(1000), at(1500)];
      bell.arm([clock('root.a', 1000), clock('root.b', 1000), clock('root.c', 1500), clock('root.d', -1)]);
      expect(asked).toEqual([]);
      await jest.advanceTimersByTimeAsync(900);
      expect(looked).toEqual([passed]);
      await jest.advanceTimersByTimeAsync(100);
      expect(looked).toEqual([passed, first]);
      await jest.advanceTimersByTimeAsync(500);
      expect(looked).toEqual([passed, first, second]);
    });

    it('asks anew for what the doorbell forgot, and says if that cannot be', async () => {
      await bell.armAgain([clock('root.a', 20_000), clock('root.b', 20_100)]);
      expect(asked.flat()).toHaveLength(1);
      const away = new Bell(
        { arm: () => Promise.reject(new Error('away')) } as Partial<Doorbell> as Doorbell,
        machineClock,
      );
      await expect(away.armAgain([clock('root.a', 20_000)])).rejects.toThrow('away');
    });
  });
});
