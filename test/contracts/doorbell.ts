import type { Doorbell, Ring } from '@curtail/timers';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Heard } from '../support/heard.js';

export interface DoorbellSettings {
  /** A ring that is further off waits in stages of this length. */
  longestDelayMs?: number;
  /** The clock of the machine that listens. */
  now?: () => number;
}

/**
 * What every doorbell promises.
 *
 * @param open opens a doorbell; within one test all of them share what is pending, and each test begins with nothing.
 */
export function doorbellContract(
  name: string,
  open: (test: number, settings?: DoorbellSettings) => Promise<Doorbell>,
): void {
  describe(`doorbell: ${name}`, () => {
    let test = 0;
    let opened: Doorbell[];
    let rings: Heard<Ring & { at: number }>;
    beforeEach(() => {
      test++;
      opened = [];
      rings = new Heard();
    });
    afterEach(async () => {
      await Promise.all(opened.map((doorbell) => doorbell.close()));
    });

    async function doorbell(settings?: DoorbellSettings): Promise<Doorbell> {
      const made = await open(test, settings);
      opened.push(made);
      return made;
    }
    const hear = async (ring: Ring) => rings.add({ ...ring, at: Date.now() });
    const ring = (name: string, inMs: number, generation = 1): Ring => ({
      kind: 'quota',
      partition: 'default',
      name,
      generation,
      dueAt: new Date(Date.now() + inMs),
    });

    it('rings with what was asked for, and never early', async () => {
      const bell = await doorbell();
      await bell.listen(hear);
      const asked = [ring('root.b', 220), ring('root.a', 60), ring('root.c', 0), ring('root.d', -5000)];
      await bell.arm(asked);
      const heard = await rings.first(4);
      for (const one of asked) {
        const { at, ...rest } = heard.find(({ name }) => name === one.name)!;
        expect(rest).toEqual(one);
        expect(at).toBeGreaterThanOrEqual(one.dueAt.getTime());
      }
    });

    it('rings once for a ring that is asked for again', async () => {
      const bell = await doorbell();
      await bell.listen(hear);
      const same = ring('root.a', 80);
      await bell.arm([same]);
      await bell.arm([same, same]);
      // Had the same been kept twice, it would stand before this one.
      await bell.arm([ring('root.last', 250)]);
      expect((await rings.until(({ name }) => name === 'root.last')).map(({ name }) => name)).toEqual([
        'root.a',
        'root.last',
      ]);
    });

    it('rings for each generation of a timer', async () => {
      const bell = await doorbell();
      await bell.listen(hear);
      await bell.arm([ring('root.a', 50, 1), ring('root.a', 20, 2)]);
      expect((await rings.first(2)).map(({ generation }) => generation).sort()).toEqual([1, 2]);
    });

    it('rings for all of many that are due at one instant', async () => {
      const bell = await doorbell();
      await bell.listen(hear);
      const dueAt = new Date(Date.now() + 100);
      await bell.arm(Array.from({ length: 500 }, (_, i) => ({ ...ring(`root.q${i}`, 0), dueAt })));
      const heard = await rings.first(500);
      expect(new Set(heard.map(({ name }) => name)).size).toBe(500);
      expect(Math.min(...heard.map(({ at }) => at))).toBeGreaterThanOrEqual(dueAt.getTime());
    });

    it('rings again when the handler throws', async () => {
      const bell = await doorbell();
      let failures = 2;
      await bell.listen(async (heard) => {
        await hear(heard);
        if (failures-- > 0) throw new Error('not yet');
      });
      await bell.arm([ring('root.a', 0)]);
      expect(new Set((await rings.first(3)).map(({ name }) => name))).toEqual(new Set(['root.a']));
    });

    it('keeps what is pending when it is closed, also what falls due meanwhile', async () => {
      const before = await doorbell();
      const asked = [ring('root.passed', 20), ring('root.future', 400)];
      await before.arm(asked);
      await before.close();
      const after = await doorbell();
      await after.listen(hear);
      const heard = await rings.first(2);
      expect(heard.map(({ name }) => name)).toEqual(['root.passed', 'root.future']);
      expect(heard[1]!.at).toBeGreaterThanOrEqual(asked[1]!.dueAt.getTime());
    });

    it('has what is pending asked for when it is opened, and once more if that fails', async () => {
      const bell = await doorbell();
      await bell.listen(hear);
      const one = ring('root.a', 50);
      let failures = 1;
      bell.whenForgotten(async () => {
        if (failures-- > 0) throw new Error('not yet');
        await bell.arm([one]);
      });
      expect((await rings.first(1)).map(({ name }) => name)).toEqual(['root.a']);
    });

    it('lets a handler in progress end when it is closed', async () => {
      const bell = await doorbell();
      const order: string[] = [];
      const closed = new Promise<unknown>((resolve, reject) => {
        bell
          .listen(async (heard) => {
            bell.close().then(() => resolve(order.push('closed')), reject);
            await hear(heard);
            // Long enough for a close that waits for nothing.
            for (let turn = 0; turn < 1000; turn++) await new Promise((next) => setImmediate(next));
            order.push('handled');
          })
          .then(() => bell.arm([ring('root.a', 0)]))
          .catch(reject);
      });
      await closed;
      expect(order).toEqual(['handled', 'closed']);
    });

    it('hears nothing, and holds nobody up, when it was closed before it began to listen', async () => {
      const closed = await doorbell();
      await closed.close();
      await closed.listen(hear);
      const bell = await doorbell();
      await bell.arm([ring('root.a', 0)]);
      const other = new Heard<Ring>();
      await bell.listen(async (heard) => other.add(heard));
      await other.first(1);
      expect(rings.all).toEqual([]);
    });

    it('waits in stages for what is further off than one delay can be', async () => {
      const bell = await doorbell({ longestDelayMs: 40 });
      await bell.listen(hear);
      const far = ring('root.a', 330);
      await bell.arm([far]);
      const [heard] = await rings.first(1);
      expect(heard!.dueAt).toEqual(far.dueAt);
      expect(heard!.at).toBeGreaterThanOrEqual(far.dueAt.getTime());
    });

    it('waits on when the clock of the listener says that it is early', async () => {
      const behindMs = 200;
      const now = () => Date.now() - behindMs;
      const asking = await doorbell();
      const listening = await doorbell({ now });
      await listening.listen(hear);
      const one = ring('root.a', 50);
      await asking.arm([one]);
      const [heard] = await rings.first(1);
      expect(heard!.at - behindMs).toBeGreaterThanOrEqual(one.dueAt.getTime());
    });

    it('takes any name of a queue, and confuses none', async () => {
      const bell = await doorbell();
      await bell.listen(hear);
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
        ...names.map((name) => ring(name, 0)),
        ...pairs.map((pair) => ({ ...ring('', 0), ...pair })),
      ];
      await bell.arm(asked);
      const heard = await rings.first(asked.length);
      const keys = (list: Ring[]) =>
        list.map(({ partition, name }) => JSON.stringify([partition, name])).sort();
      expect(keys(heard)).toEqual(keys(asked));
    });
  });
}
