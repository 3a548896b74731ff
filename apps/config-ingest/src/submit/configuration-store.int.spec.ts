import { describe, expect, it } from '@jest/globals';
import type { DataSource } from 'typeorm';
import type { QueueInForce } from '#clusters';
import { withMigratedDatabase } from '../../../../test/support/migrated-database.js';
import { recordTexts } from '../history/configuration-history.js';
import { putInForce, readConfigurationInForce } from './configuration-store.js';
import { differingQueues } from './differing-queues.js';

const configuration = {
  partition: 'default',
  digest: 'd',
  format: 'yunikorn',
  quotaPreemptionEnabled: true,
  policies: {},
  appliedAt: new Date('2026-11-21T10:00:00Z'),
  version: 1,
} as const;
const text = 'partitions: []\n';
const queue = (path: string, others: Partial<QueueInForce> = {}): QueueInForce => ({
  path,
  max: null,
  guaranteed: null,
  delayMs: 0,
  parent: false,
  ...others,
});

describe('the queues in force', () => {
  let db: DataSource;
  withMigratedDatabase((opened) => {
    db = opened;
  });

  const put = async (before: QueueInForce[], after: QueueInForce[]) => {
    await db.transaction(async (tx) => {
      await recordTexts(tx, [{ ...configuration, body: text }]);
      await putInForce(tx, [{ configuration, differing: differingQueues(before, after), after }]);
    });
    const rows = await db.query<(QueueInForce & { written: string })[]>(
      `SELECT path, max, guaranteed, delay_ms::int AS "delayMs", parent, properties, cluster_share AS "clusterShare",
              xmin::text AS written
       FROM queues WHERE partition = 'default' ORDER BY path`,
    );
    return rows;
  };

  it('are those of the last configuration, of which only different ones are written', async () => {
    const bare = { properties: null, clusterShare: null };
    const before = [
      queue('root', { parent: true, ...bare }),
      queue('root.gone', bare),
      queue('root.lower', { max: { vcore: 2 }, ...bare }),
      queue('root.same', {
        max: { vcore: 2, memory: 3 },
        properties: { a: '1' },
        clusterShare: { guaranteed: '1/4' },
      }),
    ];
    const first = await put([], before);
    expect(first).toMatchObject(before);

    const after = [
      queue('root', { parent: true }),
      queue('root.lower', { max: { vcore: 1 } }),
      queue('root.new', { guaranteed: { vcore: 1 }, delayMs: 5 }),
      before[3]!,
    ];
    const second = await put(before, after);
    expect(second).toMatchObject(after.toSorted((a, b) => (a.path < b.path ? -1 : 1)));
    const writtenAgain = second.filter(({ path, written }) =>
      first.every((row) => row.path !== path || row.written !== written),
    );
    expect(writtenAgain.map(({ path }) => path)).toEqual(['root.lower', 'root.new']);
  });

  it('come with the text on record, which the row of the partition has as well for processes of 0.1.0', async () => {
    await put([], [queue('root')]);
    expect(await db.query('SELECT body FROM partitions')).toEqual([{ body: text }]);
    // As the release after this one may leave it.
    await db.query("UPDATE partitions SET body = ''");
    expect(await readConfigurationInForce(db, 'default')).toMatchObject({ digest: 'd', body: text });
  });
});
