import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { DataSource } from 'typeorm';
import { type QueueInForce, queuesInForce } from '#clusters';
import { openDatabase } from '#event-store';
import { createMigratedDatabase, type TestDatabase } from '../../../../test/support/database.js';
import { recordTexts } from '../history/configuration-history.js';
import { lockAndRead, putInForce } from './configuration-store.js';
import { differingQueues } from './differing-queues.js';

const partition = 'p';
const queue = (path: string, delayMs = 0): QueueInForce => ({
  path,
  max: { memory: 1 },
  guaranteed: null,
  delayMs,
  parent: false,
  properties: null,
  clusterShare: null,
});

describe('the queues in force that a process keeps', () => {
  let db: DataSource;
  let test: TestDatabase;
  beforeAll(async () => {
    test = await createMigratedDatabase();
    db = await openDatabase(test.url);
  });
  afterAll(async () => {
    await db.destroy();
    await test.drop();
  });
  let version = 0;

  const put = (on: DataSource, after: QueueInForce[], end?: () => never) =>
    on.transaction(async (tx) => {
      const { inForce } = await lockAndRead(tx, [partition]);
      const before = inForce.get(partition)!.queues;
      const configuration = {
        ...{ partition, digest: '', format: 'yunikorn' as const, quotaPreemptionEnabled: true },
        ...{ policies: {}, appliedAt: new Date(), version: ++version },
      };
      await recordTexts(tx, [{ ...configuration, body: '' }]);
      await putInForce(tx, [{ configuration, differing: differingQueues(before, after), after }]);
      end?.();
    });
  const inForce = (on: DataSource) =>
    on.transaction(async (tx) => (await lockAndRead(tx, [partition])).inForce.get(partition)!.queues);

  it('are the ones that it has put in force', async () => {
    const after = [queue('root'), queue('root.b'), queue('root.a')];
    await put(db, after);
    expect(await inForce(db)).toBe(after);
    expect(await queuesInForce(db, partition)).toEqual([after[0], after[2], after[1]]);
  });

  it('are read again after another process has put others in force', async () => {
    await put(db, [queue('root'), queue('root.a')]);
    const other = await openDatabase(test.url);
    try {
      await put(other, [queue('root'), queue('root.a', 1), queue('root.c')]);
    } finally {
      await other.destroy();
    }
    expect(await inForce(db)).toEqual(await queuesInForce(db, partition));
    await put(db, [queue('root')]);
    expect(await queuesInForce(db, partition)).toEqual([queue('root')]);
  });

  it('are read again after a transaction that did not commit', async () => {
    const before = [queue('root'), queue('root.a')];
    await put(db, before);
    const failed = put(db, [queue('root'), queue('root.lost')], () => {
      throw new Error('no commit');
    });
    await expect(failed).rejects.toThrow('no commit');
    expect(await inForce(db)).toEqual(before);
    await put(db, [queue('root'), queue('root.d')]);
    expect(await queuesInForce(db, partition)).toEqual([queue('root'), queue('root.d')]);
  });

  it('belong to one database', async () => {
    const database = await createMigratedDatabase();
    const other = await openDatabase(database.url);
    try {
      await put(db, [queue('root'), queue('root.a')]);
      expect(await inForce(other)).toEqual([]);
    } finally {
      await other.destroy();
      await database.drop();
    }
  });
});
