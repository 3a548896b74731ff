import { expect, it } from '@jest/globals';
import type { DataSource } from 'typeorm';
import { withMigratedDatabase } from '../../../test/support/migrated-database.js';
import {
  askForRetries,
  countLetters,
  discardLetters,
  isParked,
  park,
  takeLetter,
} from './dead-letter-table.js';

let db: DataSource;
withMigratedDatabase((opened) => {
  db = opened;
});

const event = {
  id: '5f0c0d0e-0000-4000-8000-000000000001',
  topic: 'curtail.quota',
  key: 'root.a',
  type: 'io.curtail.quota.changed.v1',
};
const letter = { consumer: 'planner', event: event.id };

it('a letter is taken once a retry was requested, and once only', async () => {
  expect(await park(db.manager, 'planner', event, { reason: 'it failed' })).toBe(true);
  expect(await park(db.manager, 'planner', event, { reason: 'it failed again' })).toBe(false);
  expect(await takeLetter(db.manager, letter)).toBeUndefined();
  await askForRetries(db.manager, [letter], 'ada');
  expect(await takeLetter(db.manager, letter)).toEqual({ parkedAt: expect.any(Date) });
  expect(await takeLetter(db.manager, letter)).toBeUndefined();
});

it('a letter is taken without a request once its time has come', async () => {
  await park(db.manager, 'planner', event, { reason: 'it failed' }, { retryInMs: 3_600_000 });
  expect(await takeLetter(db.manager, letter)).toBeUndefined();
  await discardLetters(db.manager, [letter]);
  await park(db.manager, 'planner', event, { reason: 'it failed' }, { retryInMs: 0 });
  expect(await takeLetter(db.manager, letter)).toEqual({ parkedAt: expect.any(Date) });
});

it('a letter is discarded for its consumer alone', async () => {
  await park(db.manager, 'planner', event, { reason: 'it failed' });
  await park(db.manager, 'timer', event, { reason: 'it failed' });
  await discardLetters(db.manager, [letter]);
  expect(await isParked(db.manager, 'planner', event.id)).toBe(false);
  expect(await countLetters(db, ['planner', 'timer'])).toEqual(new Map([['timer', 1]]));
});
