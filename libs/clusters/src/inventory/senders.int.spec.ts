import { beforeEach, describe, expect, it } from '@jest/globals';
import type { DataSource } from 'typeorm';
import type { KnownEvent } from '#event-store';
import { withMigratedDatabase } from '../../../../test/support/migrated-database.js';
import { inbound } from '../../../../test/support/reporting-platform.js';
import { InventoryControl } from './inventory-control.js';
import { clockSkews, notePlatformClocks } from './senders.js';

const partition = 'default';
const began = Date.parse('2026-11-22T10:00:00Z');

describe('the clocks of platform services', () => {
  let db: DataSource;
  withMigratedDatabase((opened) => {
    db = opened;
  });
  beforeEach(() => db.query('TRUNCATE inventory_clocks'));

  /** Handles messages together at a second, each from a clock that is this many seconds ahead. */
  async function receive(second: number, aheadSeconds: number[], source = 'yarn'): Promise<void> {
    const events = aheadSeconds.map((ahead): KnownEvent => {
      const time = new Date(began + (second + ahead) * 1000);
      return { ...inbound({ name: 'InventoryConfirmed', data: { partition } }, time), source };
    });
    await db.transaction((tx) =>
      notePlatformClocks(tx, events, () => partition, new Date(began + second * 1000)),
    );
  }
  const skews = async () => (await clockSkews(db, partition)).map(({ source, seconds }) => [source, seconds]);

  it('are not reported while they agree, or messages are a little late', async () => {
    await receive(0, [0, -3, -20]);
    await receive(1, [1]);
    expect(await skews()).toEqual([]);
  });

  it('that are ahead are known by one message, and named', async () => {
    await receive(0, [-20, 600]);
    expect(await clockSkews(db)).toEqual([
      {
        partition,
        source: 'yarn',
        seconds: 600,
        message: "the clock of yarn (partition default) is 600 s ahead of the database's",
      },
    ]);
    const { items } = await new InventoryControl(db, { staleSeconds: 60 }).status(partition);
    expect(items[0]?.notices).toContainEqual(
      expect.objectContaining({ code: 'clock-skew', source: 'yarn', remedy: expect.stringContaining('NTP') }),
    );
  });

  it('that are behind show in all messages of some minutes: one message on time disproves it', async () => {
    await receive(0, [-600, -601]);
    expect(await skews()).toEqual([['yarn', -600]]);
    await receive(10, [-1]);
    expect(await skews()).toEqual([]);
    await receive(20, [-600]);
    expect(await skews()).toEqual([]);
  });

  it('that were corrected are no longer reported after some minutes', async () => {
    await receive(0, [600]);
    for (const second of [200, 400, 600]) await receive(second, [0]);
    expect(await skews()).toEqual([['yarn', 600]]);
    await receive(800, [0]);
    expect(await skews()).toEqual([]);
  });

  it('are distinguished by source', async () => {
    await receive(0, [600], 'yarn');
    await receive(0, [0], 'slurm');
    expect(await skews()).toEqual([['yarn', 600]]);
  });
});
