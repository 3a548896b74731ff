import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Redis } from 'ioredis';
import { BullmqWakeUpQueue, probeRedis, type WakeUp } from '#timers';
import { openRedis, type RedisServer } from '../../../../scripts/infra/index.js';
import { Recorded } from '../../../../test/support/recorded.js';

const wakeUp = (name: string, inMs: number): WakeUp => ({
  kind: 'quota',
  partition: 'default',
  name,
  generation: 1,
  dueAt: new Date(Date.now() + inMs),
});

describe('BullmqWakeUpQueue, when its Redis', () => {
  let server: RedisServer;
  let wakeUpQueue: BullmqWakeUpQueue;
  let wakeUps: Recorded<WakeUp & { at: number }>;
  let errors: Error[];
  let warnings: Recorded<string>;
  /** Stands for the timer table. */
  let pending: WakeUp[];
  let asked: Recorded<number>;

  beforeEach(async () => {
    server = await openRedis({ settings: { appendonly: 'no' } });
    wakeUps = new Recorded();
    errors = [];
    warnings = new Recorded();
    pending = [];
    asked = new Recorded();
  });
  afterEach(async () => {
    await wakeUpQueue.close();
    await server.remove();
  });

  async function open(): Promise<void> {
    wakeUpQueue = BullmqWakeUpQueue.openOnRedis({
      redis: { url: server.url },
      name: 'faults',
      checkMs: 50,
      onError: (error) => errors.push(error),
      onWarning: (warning) => warnings.add(warning),
    });
    await wakeUpQueue.listen(async (wakeUp) => wakeUps.add({ ...wakeUp, at: Date.now() }));
    wakeUpQueue.whenForgotten(async () => {
      const all = [...pending];
      await wakeUpQueue.arm(all);
      asked.add(all.length);
    });
  }
  async function woken(name: string): Promise<void> {
    const all = await wakeUps.until((one) => one.name === name);
    const { at, dueAt } = all.at(-1)!;
    expect(at).toBeGreaterThanOrEqual(dueAt.getTime());
  }

  it('starts after the wake-up queue, gets all requests once it is there', async () => {
    pending = [wakeUp('root.passed', 0), wakeUp('root.future', 1500)];
    await open();
    await expect(wakeUpQueue.arm(pending)).rejects.toThrow('not connected to Redis');
    await expect(probeRedis({ url: server.url })).rejects.toThrow('ECONNREFUSED');
    await server.start();
    await woken('root.passed');
    await woken('root.future');
    await probeRedis({ url: server.url });
  });

  it('is flushed, gets all requests again', async () => {
    await server.start();
    pending = [wakeUp('root.a', 700)];
    await open();
    await asked.first(1);
    const client = new Redis(server.url);
    await client.flushall();
    await client.quit();
    await asked.first(2);
    await woken('root.a');
  });

  it('is killed and comes back with nothing, gets all requests again', async () => {
    await server.start();
    pending = [wakeUp('root.a', 1200)];
    await open();
    await asked.first(1);
    await server.kill();
    await server.start();
    await asked.first(2);
    await woken('root.a');
    // No flood.
    expect(errors.length).toBeLessThan(100);
  });

  it('freezes, counts as down, and wakes when it continues', async () => {
    await server.start();
    pending = [wakeUp('root.a', 100)];
    await open();
    await asked.first(1);
    await server.freeze();
    await expect(probeRedis({ url: server.url }, 300)).rejects.toThrow('no answer within 300 ms');
    await server.thaw();
    await woken('root.a');
  });

  it('is gone for good, closes in peace', async () => {
    await server.start();
    await open();
    await asked.first(1);
    await server.kill();
    await wakeUpQueue.close();
    const reported = errors.length;
    await new Promise((resolve) => setImmediate(resolve));
    expect(errors).toHaveLength(reported);
  });

  it('was never there, closes in peace', async () => {
    await open();
    await wakeUpQueue.close();
    expect(asked.all).toEqual([]);
  });

  it('is set up so that wake-ups come late, warns', async () => {
    server = await openRedis({
      settings: { hz: '10', appendonly: 'no', 'maxmemory-policy': 'volatile-lru' },
    });
    await server.start();
    await open();
    await warnings.first(3);
    expect(warnings.all.map((warning) => /Set (.*)\.$/.exec(warning)?.[1])).toEqual([
      'hz 100',
      'maxmemory-policy noeviction',
      'appendonly yes',
    ]);
  });
});
