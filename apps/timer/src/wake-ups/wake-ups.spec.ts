import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { WakeUp, WakeUpQueue } from '#timers';
import { machineClock } from '../../../../test/support/machine-clock.js';
import { endOfShared, WakeUps } from './wake-ups.js';

describe('wake-ups', () => {
  let asked: WakeUp[][];
  let wakeUps: WakeUps;
  beforeEach(() => {
    jest.useFakeTimers();
    asked = [];
    const wakeUpQueue = {
      arm: async (wakeUps: WakeUp[]) => void asked.push(wakeUps),
    } as Partial<WakeUpQueue> as WakeUpQueue;
    wakeUps = new WakeUps(wakeUpQueue, machineClock);
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  const wakeUp = (name: string, inMs: number, generation = 1): WakeUp => ({
    kind: 'starvation',
    partition: 'default',
    name,
    generation,
    dueAt: new Date(Date.now() + inMs),
  });

  it('requests those that are due soon at once', () => {
    wakeUps.arm([wakeUp('root.a', 20_000), wakeUp('root.b', -5)]);
    expect(asked.flat().map(({ name }) => name)).toEqual(['root.a', 'root.b']);
  });

  it('batches those that are far off, long before they could be late, and requests the newest of each timer', async () => {
    wakeUps.arm([wakeUp('root.a', 3_600_000, 1), wakeUp('root.soon', 1000)]);
    wakeUps.arm([wakeUp('root.a', 7_200_000, 2), wakeUp('root.b', 60_000)]);
    expect(asked.flat().map(({ name }) => name)).toEqual(['root.soon']);
    await jest.advanceTimersByTimeAsync(10_000);
    expect(
      asked
        .flat()
        .slice(1)
        .map(({ name, generation }) => `${name} ${generation}`),
    ).toEqual(['root.a 2', 'root.b 1']);
  });

  it('batches them while more arrive, but none until it is due soon', async () => {
    for (let seconds = 0; seconds < 12; seconds += 3) {
      wakeUps.arm([wakeUp(`root.q${seconds}`, 60_000)]);
      await jest.advanceTimersByTimeAsync(3000);
    }
    expect(asked).toEqual([]);
    wakeUps.arm([wakeUp('root.q12', 60_000)]);
    await jest.advanceTimersByTimeAsync(3000);
    expect(asked.flat()).toHaveLength(5);
  });

  it('requests many in small batches, so that the queue delivers others meanwhile', async () => {
    wakeUps.arm(Array.from({ length: 1200 }, (_, i) => wakeUp(`root.q${i}`, 3_600_000)));
    await jest.advanceTimersByTimeAsync(10_000);
    expect(asked.map((wakeUps) => wakeUps.length)).toEqual([500, 500, 200]);
  });

  it('requests all batched ones when it is stopped', async () => {
    wakeUps.arm([wakeUp('root.a', 3_600_000)]);
    await wakeUps.stop();
    expect(asked.flat().map(({ name }) => name)).toEqual(['root.a']);
  });

  it('drops an older wake-up of a timer that is now due soon', async () => {
    wakeUps.arm([wakeUp('root.a', 3_600_000, 1)]);
    wakeUps.arm([wakeUp('root.a', 1000, 2)]);
    await wakeUps.stop();
    expect(asked.flat().map(({ generation }) => generation)).toEqual([2]);
  });

  describe('of clocks of quotas', () => {
    const clock = (name: string, inMs: number): WakeUp => ({ ...wakeUp(name, inMs), kind: 'quota-decrease' });
    const at = (ms: number) => new Date(Date.now() + ms);
    beforeEach(() => {
      jest.setSystemTime(new Date('2026-11-22T10:00:00.000Z'));
    });

    it('requests one wake-up for all that are due within an interval, before it begins', () => {
      wakeUps.arm([clock('root.a', 20_000), clock('root.b', 20_499), clock('root.c', 20_500)]);
      expect(asked.flat().map(({ kind, dueAt }) => [kind, dueAt])).toEqual([
        ['quota-decrease-shared', at(18_000)],
        ['quota-decrease-shared', at(18_500)],
      ]);
      expect(asked.flat().map((shared) => endOfShared(shared))).toEqual([at(20_500), at(21_000)]);
    });

    it('requests the shared wake-up of those that are far off once, however often their clocks are set', async () => {
      for (let i = 0; i < 10; i++) wakeUps.arm([clock(`root.q${i}`, 3_600_000)]);
      await jest.advanceTimersByTimeAsync(10_000);
      expect(asked.flat()).toHaveLength(1);
    });

    it('triggers checks for those that are due too soon for the queue, once for each moment, slightly ahead of it', async () => {
      const checked: (Date | undefined)[] = [];
      wakeUps.whenCheckWanted(async (_, by) => void checked.push(by));
      const [passed, first, second] = [at(-1), at(1000), at(1500)];
      wakeUps.arm([clock('root.a', 1000), clock('root.b', 1000), clock('root.c', 1500), clock('root.d', -1)]);
      expect(asked).toEqual([]);
      await jest.advanceTimersByTimeAsync(900);
      expect(checked).toEqual([passed]);
      await jest.advanceTimersByTimeAsync(100);
      expect(checked).toEqual([passed, first]);
      await jest.advanceTimersByTimeAsync(500);
      expect(checked).toEqual([passed, first, second]);
    });

    it('requests again the wake-ups that the queue lost, and rejects if that fails', async () => {
      await wakeUps.armAgain([clock('root.a', 20_000), clock('root.b', 20_100)]);
      expect(asked.flat()).toHaveLength(1);
      const away = new WakeUps(
        { arm: () => Promise.reject(new Error('away')) } as Partial<WakeUpQueue> as WakeUpQueue,
        machineClock,
      );
      await expect(away.armAgain([clock('root.a', 20_000)])).rejects.toThrow('away');
    });
  });
});
