import { BullmqDoorbell, probeRedis, type Ring } from '@curtail/timers';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Redis } from 'ioredis';
import { openRedis, type RedisServer } from '../../../../scripts/infra/index.js';
import { Heard } from '../../../../test/support/heard.js';

const ring = (name: string, inMs: number): Ring => ({
  kind: 'quota',
  partition: 'default',
  name,
  generation: 1,
  dueAt: new Date(Date.now() + inMs),
});

describe('BullmqDoorbell, when its Redis', () => {
  let server: RedisServer;
  let bell: BullmqDoorbell;
  let rings: Heard<Ring & { at: number }>;
  let errors: Error[];
  let warnings: Heard<string>;
  /** As the timer table is: what has to ring. */
  let pending: Ring[];
  let asked: Heard<number>;

  beforeEach(async () => {
    server = await openRedis({ settings: { appendonly: 'no' } });
    rings = new Heard();
    errors = [];
    warnings = new Heard();
    pending = [];
    asked = new Heard();
  });
  afterEach(async () => {
    await bell.close();
    await server.remove();
  });

  async function open(): Promise<void> {
    bell = BullmqDoorbell.openOnRedis({
      redis: { url: server.url },
      name: 'faults',
      lookMs: 50,
      onError: (error) => errors.push(error),
      onWarning: (warning) => warnings.add(warning),
    });
    await bell.listen(async (heard) => rings.add({ ...heard, at: Date.now() }));
    bell.whenForgotten(async () => {
      const all = [...pending];
      await bell.arm(all);
      asked.add(all.length);
    });
  }
  async function heard(name: string): Promise<void> {
    const all = await rings.until((one) => one.name === name);
    const { at, dueAt } = all.at(-1)!;
    expect(at).toBeGreaterThanOrEqual(dueAt.getTime());
  }

  it('comes later than the doorbell, is asked for everything once it is there', async () => {
    pending = [ring('root.passed', 0), ring('root.future', 1500)];
    await open();
    await expect(bell.arm(pending)).rejects.toThrow('not connected to Redis');
    await expect(probeRedis({ url: server.url })).rejects.toThrow('ECONNREFUSED');
    await server.start();
    await heard('root.passed');
    await heard('root.future');
    await probeRedis({ url: server.url });
  });

  it('is flushed, is asked for everything again', async () => {
    await server.start();
    pending = [ring('root.a', 700)];
    await open();
    await asked.first(1);
    const client = new Redis(server.url);
    await client.flushall();
    await client.quit();
    await asked.first(2);
    await heard('root.a');
  });

  it('is killed and comes back with nothing, is asked for everything again', async () => {
    await server.start();
    pending = [ring('root.a', 1200)];
    await open();
    await asked.first(1);
    await server.kill();
    await server.start();
    await asked.first(2);
    await heard('root.a');
    // No flood.
    expect(errors.length).toBeLessThan(100);
  });

  it('freezes, counts as down, and rings when it goes on', async () => {
    await server.start();
    pending = [ring('root.a', 100)];
    await open();
    await asked.first(1);
    await server.freeze();
    await expect(probeRedis({ url: server.url }, 300)).rejects.toThrow('no answer within 300 ms');
    await server.thaw();
    await heard('root.a');
  });

  it('is gone for good, closes in peace', async () => {
    await server.start();
    await open();
    await asked.first(1);
    await server.kill();
    await bell.close();
    const told = errors.length;
    await new Promise((resolve) => setImmediate(resolve));
    expect(errors).toHaveLength(told);
  });

  it('was never there, closes in peace', async () => {
    await open();
    await bell.close();
    expect(asked.all).toEqual([]);
  });

  it('is set up so that rings come late, says so', async () => {
    server = await openRedis({
      settings: { hz: '10', appendonly: 'no', 'maxmemory-policy': 'volatile-lru' },
    });
    await server.start();
    await open();
    await warnings.first(3);
    expect(warnings.all.map((said) => /Set (.*)\.$/.exec(said)?.[1])).toEqual([
      'hz 100',
      'maxmemory-policy noeviction',
      'appendonly yes',
    ]);
  });
});
