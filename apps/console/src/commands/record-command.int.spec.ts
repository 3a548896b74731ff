import { expect, it } from '@jest/globals';
import type { DataSource } from 'typeorm';
import { readStream } from '#event-store';
import { marker } from '../../../../test/support/events.js';
import { withMigratedDatabase } from '../../../../test/support/migrated-database.js';
import { recordEvents } from './record-command.js';

let db: DataSource;
withMigratedDatabase((opened) => {
  db = opened;
});

it('records all events of a command with the same time, so that none changes what another one has changed', async () => {
  const { event, key } = marker('a');
  const events = Array.from({ length: 2000 }, () => ({ event, key }));
  await recordEvents(db, { partition: 'default', stream: 'a' }, async () => ({ events, answer: undefined }));
  const times = (await readStream(db, 'a')).map(({ time }) => time.getTime());
  expect(times).toHaveLength(events.length);
  expect(new Set(times).size).toBe(1);
});
