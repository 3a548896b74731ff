import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { DataSource } from 'typeorm';
import { openGate } from '../../../../test/support/open-gate.js';
import { createSimulatedDatabase } from '../../../../test/support/simulated.js';
import { clear, place } from './place.js';
import { SimulatedCluster } from './simulated-cluster.js';
import { SimulatedReaper } from './simulated-reaper.js';

/** Reports after each sweep how many rows it removed. */
class WatchedCluster extends SimulatedCluster {
  private waiting: { enough: (reaped: number) => boolean; resolve: () => void }[] = [];
  fail: Error | undefined;

  override async reap(): Promise<number> {
    if (this.fail !== undefined) throw this.fail;
    const reaped = await super.reap();
    this.waiting = this.waiting.filter(({ enough, resolve }) => {
      if (!enough(reaped)) return true;
      resolve();
      return false;
    });
    return reaped;
  }

  sweep(enough: (reaped: number) => boolean): Promise<void> {
    return new Promise((resolve) => this.waiting.push({ enough, resolve }));
  }
}

describe('the reaper of the simulated cluster', () => {
  let dataSource: DataSource;
  let close: () => Promise<void>;
  let cluster: WatchedCluster;
  let reaper: SimulatedReaper | undefined;

  beforeAll(async () => {
    ({ dataSource, close } = await createSimulatedDatabase());
  });
  afterAll(() => close?.());
  beforeEach(async () => {
    cluster = new WatchedCluster(dataSource);
    await clear(dataSource, 'default');
    await place(dataSource, 'default', {
      applications: [{ id: 'app', queue: 'root.a' }],
      allocations: ['a1', 'a2'].map((id) => ({
        id,
        application: 'app',
        queue: 'root.a',
        resources: { memory: 1 },
        startedAt: '2026-11-21T09:00:00Z',
      })),
    });
  });

  const evict = (allocation: string, graceSeconds: number) =>
    cluster.evict(
      {
        partition: 'default',
        allocation,
        graceSeconds,
        evictionId: allocation,
        fencingToken: 1,
        reason: 'test',
      },
      openGate,
    );
  const rows = async () =>
    (await dataSource.query<{ id: string }[]>('SELECT id FROM simulated_allocations ORDER BY id')).map(
      ({ id }) => id,
    );

  it('sweeps at its start what went while it was stopped', async () => {
    await evict('a1', 0);
    expect(await rows()).toEqual(['a1', 'a2']);
    reaper = new SimulatedReaper(cluster);
    const swept = cluster.sweep((reaped) => reaped === 1);
    reaper.start();
    await swept;
    await reaper.stop();
    expect(await rows()).toEqual(['a2']);
  });

  it('is woken by a kill and sweeps when the grace period is over', async () => {
    reaper = new SimulatedReaper(cluster);
    const idle = cluster.sweep((reaped) => reaped === 0);
    reaper.start();
    await idle;
    const swept = cluster.sweep((reaped) => reaped === 1);
    await evict('a1', 0.05);
    await swept;
    await reaper.stop();
    expect(await rows()).toEqual(['a2']);
  });

  it('does nothing once it is stopped', async () => {
    reaper = new SimulatedReaper(cluster);
    reaper.start();
    await reaper.stop();
    cluster.fail = new Error('swept after the stop');
    await evict('a1', 0);
    expect(await rows()).toEqual(['a1', 'a2']);
  });

  it('reports a failure and continues with the next kill', async () => {
    const failed = new Promise((resolve) => {
      reaper = new SimulatedReaper(cluster, resolve);
    });
    cluster.fail = new Error('no connection');
    reaper?.start();
    expect(await failed).toBe(cluster.fail);
    cluster.fail = undefined;
    const swept = cluster.sweep((reaped) => reaped === 1);
    await evict('a1', 0);
    await swept;
    await reaper?.stop();
  });
});
