import { beforeEach, describe, expect, it } from '@jest/globals';
import type { DataSource } from 'typeorm';
import type { DomainEvent, Resources } from '#contracts';
import { append, runStream } from '#event-store';
import { withMigratedDatabase } from '../../../../test/support/migrated-database.js';
import { quotaChangedSince } from './operator.js';

const run = { partition: 'p', queue: 'root.a' };
const [thirty, sixty] = [{ memory: 30e9 }, { memory: 60e9 }];

describe('the quota since a run was planned', () => {
  let db: DataSource;
  withMigratedDatabase((opened) => {
    db = opened;
  });
  beforeEach(async () => {
    for (const table of ['events', 'queues']) await db.query(`DELETE FROM ${table}`);
  });

  async function planned(max: Resources | null, maxShare?: string): Promise<void> {
    const event = {
      name: 'EnforcementOpened',
      data: {
        ...{
          ...run,
          enforcement: 'e1',
          fencingToken: 1,
          openedAt: '2026-01-01T00:00:00.000Z',
          mode: 'enforce',
        },
        ...{ max, ...(maxShare && { maxShare }), victims: 0, needsApproval: true },
        ...{ deadlineAt: '2026-01-01T00:00:00.000Z', notices: [] },
      },
    } as DomainEvent;
    await append(db.manager, [
      {
        stream: runStream('e1'),
        partition: 'p',
        expectedVersion: 0,
        events: [{ event, key: run.queue }],
      },
    ]);
  }
  const inForce = (max: Resources | null, maxShare?: string) =>
    db.query(
      `INSERT INTO queues (partition, path, parent, delay_ms, max, cluster_share) VALUES ('p', 'root.a', false, 0, $1, $2)`,
      [max && JSON.stringify(max), maxShare ? JSON.stringify({ max: maxShare }) : null],
    );
  const sentence = () => quotaChangedSince(db, run, 'e1');

  it.each([
    ['amounts', thirty, undefined, thirty, undefined],
    ['a share, whatever it came to', thirty, '1/2', null, '1/2'],
    ['no limit', null, undefined, null, undefined],
  ])('is the same: %s', async (_, max, share, now, shareNow) => {
    await planned(max, share);
    await inForce(now, shareNow);
    expect(await sentence()).toBeUndefined();
  });

  it.each([
    ['30 GB memory to 60 GB memory', thirty, undefined, sixty, undefined],
    ['50 % of the cluster (30 GB memory) to 75 % of the cluster', thirty, '1/2', null, '3/4'],
    ['30 GB memory to 75 % of the cluster', thirty, undefined, null, '3/4'],
    ['30 GB memory to no limit', thirty, undefined, null, undefined],
  ])('changed from %s', async (words, max, share, now, shareNow) => {
    await planned(max, share);
    await inForce(now, shareNow);
    expect(await sentence()).toContain(
      `The quota of root.a changed from ${words} since this run was planned`,
    );
  });

  it('is no limit where the queue has left the configuration', async () => {
    await planned(thirty);
    expect(await sentence()).toContain('to no limit since');
  });
});
