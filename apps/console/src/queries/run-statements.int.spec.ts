import { expect, it } from '@jest/globals';
import type { DataSource } from 'typeorm';
import { withMigratedDatabase } from '../../../../test/support/migrated-database.js';
import { freedSoFar } from './run-statements.js';

let db: DataSource;
withMigratedDatabase((opened) => {
  db = opened;
});

it('adds up what victims of an open run held that are evicted or gone, and not those that another incarnation replaced', async () => {
  const victims: [rank: number, state: string, code: string | null, resources: object][] = [
    [1, 'evicted', null, { memory: 16, vcore: 2 }],
    [2, 'evicted', null, { memory: 16, vcore: 2 }],
    [3, 'gone', 'not-running', { memory: 5 }],
    [4, 'gone', 'other-incarnation', { memory: 100 }],
    [5, 'ordered', null, { memory: 100 }],
    [6, 'spared', 'stopped', { memory: 100 }],
  ];
  for (const [rank, state, code, resources] of victims)
    await db.query(
      `INSERT INTO read_victims (enforcement, allocation, partition, queue, application, rank, resources, reason, state, code, updated_at)
       VALUES ('e-1', $1, 'default', 'root.a', 'train', $2, $3, '', $4, $5, now())`,
      [`a-${rank}`, rank, JSON.stringify(resources), state, code],
    );
  expect(await freedSoFar(db, 'e-1')).toEqual({ memory: 37, vcore: 4 });
  expect(await freedSoFar(db, 'e-2')).toBeNull();
});
