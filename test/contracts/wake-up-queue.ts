import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { WakeUp, WakeUpQueue } from '#timers';
import { Recorded } from '../support/recorded.js';

export interface WakeUpQueueSettings {
  /** A later wake-up waits in stages of this length. */
  longestDelayMs?: number;
  /** The clock of the machine that listens. */
  now?: () => number;
}

/**
 * The contract of every wake-up queue.
 *
 * @param open opens a wake-up queue; all queues of one test share their pending wake-ups, and each test begins without any.
 */
export function wakeUpQueueContract(
  name: string,
  open: (test: number, settings?: WakeUpQueueSettings) => Promise<WakeUpQueue>,
): void {
  describe(`wake-up queue: ${name}`, () => {
    let test = 0;
    let opened: WakeUpQueue[];
    let wakeUps: Recorded<WakeUp & { at: number }>;
    beforeEach(() => {
      test++;
      opened = [];
      wakeUps = new Recorded();
    });
    afterEach(async () => {
      await Promise.all(opened.map((wakeUpQueue) => wakeUpQueue.close()));
    });

    async function openQueue(settings?: WakeUpQueueSettings): Promise<WakeUpQueue> {
      const made = await open(test, settings);
      opened.push(made);
      return made;
    }
    const record = async (wakeUp: WakeUp) => wakeUps.add({ ...wakeUp, at: Date.now() });
    const wakeUp = (name: string, inMs: number, generation = 1): WakeUp => ({
      kind: 'quota',
      partition: 'default',
      name,
      generation,
      dueAt: new Date(Date.now() + inMs),
    });

    it('wakes with the requested wake-ups, and never early', async () => {
      const wakeUpQueue = await openQueue();
      await wakeUpQueue.listen(record);
      const asked = [
        wakeUp('root.b', 220),
        wakeUp('root.a', 60),
        wakeUp('root.c', 0),
        wakeUp('root.d', -5000),
      ];
      await wakeUpQueue.arm(asked);
      const received = await wakeUps.first(4);
      for (const one of asked) {
        const { at, ...rest } = received.find(({ name }) => name === one.name)!;
        expect(rest).toEqual(one);
        expect(at).toBeGreaterThanOrEqual(one.dueAt.getTime());
      }
    });

    it('wakes once for a wake-up that is requested again', async () => {
      const wakeUpQueue = await openQueue();
      const same = wakeUp('root.a', 80);
      await wakeUpQueue.arm([same]);
      await wakeUpQueue.arm([same, same]);
      // A duplicate would come before this one.
      await wakeUpQueue.arm([wakeUp('root.last', 250)]);
      // Only now: one that was delivered may be requested again.
      await wakeUpQueue.listen(record);
      expect((await wakeUps.until(({ name }) => name === 'root.last')).map(({ name }) => name)).toEqual([
        'root.a',
        'root.last',
      ]);
    });

    it('wakes for each generation of a timer', async () => {
      const wakeUpQueue = await openQueue();
      await wakeUpQueue.listen(record);
      await wakeUpQueue.arm([wakeUp('root.a', 50, 1), wakeUp('root.a', 20, 2)]);
      expect((await wakeUps.first(2)).map(({ generation }) => generation).sort()).toEqual([1, 2]);
    });

    it('wakes for all of many that are due at one instant', async () => {
      const wakeUpQueue = await openQueue();
      await wakeUpQueue.listen(record);
      const dueAt = new Date(Date.now() + 100);
      await wakeUpQueue.arm(Array.from({ length: 500 }, (_, i) => ({ ...wakeUp(`root.q${i}`, 0), dueAt })));
      const received = await wakeUps.first(500);
      expect(new Set(received.map(({ name }) => name)).size).toBe(500);
      expect(Math.min(...received.map(({ at }) => at))).toBeGreaterThanOrEqual(dueAt.getTime());
    });

    it('wakes again when the handler throws', async () => {
      const wakeUpQueue = await openQueue();
      let failures = 2;
      await wakeUpQueue.listen(async (received) => {
        await record(received);
        if (failures-- > 0) throw new Error('not yet');
      });
      await wakeUpQueue.arm([wakeUp('root.a', 0)]);
      expect(new Set((await wakeUps.first(3)).map(({ name }) => name))).toEqual(new Set(['root.a']));
    });

    it('keeps pending wake-ups when it is closed, including those that fall due meanwhile', async () => {
      const before = await openQueue();
      const asked = [wakeUp('root.passed', 20), wakeUp('root.future', 400)];
      await before.arm(asked);
      await before.close();
      const after = await openQueue();
      await after.listen(record);
      const received = await wakeUps.first(2);
      expect(received.map(({ name }) => name)).toEqual(['root.passed', 'root.future']);
      expect(received[1]!.at).toBeGreaterThanOrEqual(asked[1]!.dueAt.getTime());
    });

    it('has pending wake-ups requested when it is opened, and once more if that fails', async () => {
      const wakeUpQueue = await openQueue();
      await wakeUpQueue.listen(record);
      const one = wakeUp('root.a', 50);
      let failures = 1;
      wakeUpQueue.whenForgotten(async () => {
        if (failures-- > 0) throw new Error('not yet');
        await wakeUpQueue.arm([one]);
      });
      expect((await wakeUps.first(1)).map(({ name }) => name)).toEqual(['root.a']);
    });

    it('lets a handler in progress end when it is closed', async () => {
      const wakeUpQueue = await openQueue();
      const order: string[] = [];
      const closed = new Promise<unknown>((resolve, reject) => {
        wakeUpQueue
          .listen(async (received) => {
            wakeUpQueue.close().then(() => resolve(order.push('closed')), reject);
            await record(received);
            // Long enough for a close that waits for nothing.
            for (let turn = 0; turn < 1000; turn++) await new Promise((next) => setImmediate(next));
            order.push('handled');
          })
          .then(() => wakeUpQueue.arm([wakeUp('root.a', 0)]))
          .catch(reject);
      });
      await closed;
      expect(order).toEqual(['handled', 'closed']);
    });

    it('receives nothing, and blocks no one, when it was closed before it began to listen', async () => {
      const closed = await openQueue();
      await closed.close();
      await closed.listen(record);
      const wakeUpQueue = await openQueue();
      await wakeUpQueue.arm([wakeUp('root.a', 0)]);
      const other = new Recorded<WakeUp>();
      await wakeUpQueue.listen(async (received) => other.add(received));
      await other.first(1);
      expect(wakeUps.all).toEqual([]);
    });

    it('waits in stages for wake-ups later than the longest delay', async () => {
      const wakeUpQueue = await openQueue({ longestDelayMs: 40 });
      await wakeUpQueue.listen(record);
      const far = wakeUp('root.a', 330);
      await wakeUpQueue.arm([far]);
      const [received] = await wakeUps.first(1);
      expect(received!.dueAt).toEqual(far.dueAt);
      expect(received!.at).toBeGreaterThanOrEqual(far.dueAt.getTime());
    });

    it('keeps waiting when it is early by the clock of the listener', async () => {
      const behindMs = 200;
      const now = () => Date.now() - behindMs;
      const asking = await openQueue();
      const listening = await openQueue({ now });
      await listening.listen(record);
      const one = wakeUp('root.a', 50);
      await asking.arm([one]);
      const [received] = await wakeUps.first(1);
      expect(received!.at - behindMs).toBeGreaterThanOrEqual(one.dueAt.getTime());
    });

    it('takes any name of a queue, and confuses none', async () => {
      const wakeUpQueue = await openQueue();
      await wakeUpQueue.listen(record);
      const names = [
        'root.a:b',
        'root/a',
        'root@a',
        'root.#1',
        '42',
        'root.ü',
        "root.a'b",
        `root.${'x'.repeat(500)}`,
      ];
      const pairs = [
        { partition: 'a/b', name: 'c' },
        { partition: 'a', name: 'b/c' },
      ];
      const asked = [
        ...names.map((name) => wakeUp(name, 0)),
        ...pairs.map((pair) => ({ ...wakeUp('', 0), ...pair })),
      ];
      await wakeUpQueue.arm(asked);
      const received = await wakeUps.first(asked.length);
      const keys = (list: WakeUp[]) =>
        list.map(({ partition, name }) => JSON.stringify([partition, name])).sort();
      expect(keys(received)).toEqual(keys(asked));
    });
  });
}
