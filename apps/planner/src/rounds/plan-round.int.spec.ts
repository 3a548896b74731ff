import { expect, it } from '@jest/globals';
import type { DataSource } from 'typeorm';
import { ofPartition } from '#contracts';
import { beginRound, type RoundFailure, takeRound } from '#rounds';
import { withMigratedDatabase } from '../../../../test/support/migrated-database.js';
import { settleFailed } from './plan-round.js';

const partition = 'p';
let db: DataSource;
withMigratedDatabase((opened) => {
  db = opened;
});

let rounds = 0;
async function fails(message: string, fault: RoundFailure['fault']): Promise<boolean> {
  const now = new Date(Date.UTC(2026, 10, 21, 10, 0, rounds++));
  await db.transaction((tx) =>
    beginRound(tx, { policy: 'fair-share', partition, enforcement: `r-${rounds}`, dueAt: now, now }),
  );
  const round = await takeRound(db, 'fair-share');
  const failure = {
    code: 'snapshot-unusable',
    message,
    about: ofPartition(partition),
    ...(fault && { fault }),
  };
  return settleFailed(db, round!, failure, 0.1);
}

it('reports once why rounds cannot be planned, whatever the numbers in the sentence, until the reason changes', async () => {
  const unread = { code: 'reports-unread', path: 'inventory' };
  expect(await fails('2 reports are not applied yet', unread)).toBe(true);
  expect(await fails('7 reports are not applied yet', unread)).toBe(false);
  expect(await fails('the scheduler is silent', { ...unread, code: 'silent' })).toBe(true);
  expect(await fails('the scheduler is silent', unread)).toBe(true);
  const reported = await db.query<{ about: object; notice: object }[]>(
    `SELECT data->'about' AS about, data->'notices'->0->'about' AS notice FROM events
     WHERE type LIKE '%round.failed%' ORDER BY position`,
  );
  const about = { kind: 'partition', name: partition };
  expect(reported).toEqual([1, 2, 3].map(() => ({ about, notice: about })));
});
