import { expect, it } from '@jest/globals';
import type { DataSource } from 'typeorm';
import { ZodError } from 'zod';
import { type NewEvent, readStreams, StreamConflict } from '#event-store';
import { marker, markers } from '../../../../test/support/events.js';
import { withMigratedDatabase } from '../../../../test/support/migrated-database.js';
import { OpenRuns } from './open-runs.js';
import { RecordTogether } from './record-together.js';

let db: DataSource;
let openRuns: OpenRuns;
withMigratedDatabase((opened) => {
  db = opened;
  openRuns = new OpenRuns(db);
});

const versionsOf = async (...streams: string[]) =>
  (
    await readStreams(
      db,
      streams.map((stream) => ({ stream, after: 0 })),
    )
  ).map((events) => events.length);

it('records simultaneous entries, each run in its own stream', async () => {
  const together = new RecordTogether(db, openRuns);
  await Promise.all(
    ['a', 'b', 'c'].map((stream) =>
      together.record({ append: markers(stream, 0, marker(`${stream}1`)), over: undefined }),
    ),
  );
  expect(await versionsOf('a', 'b', 'c')).toEqual([1, 1, 1]);
});

it('writes all others when one of them conflicts, and reports the conflict to that one alone', async () => {
  const together = new RecordTogether(db, openRuns);
  const outcomes = await Promise.allSettled([
    together.record({ append: markers('first', 0, marker('f1')), over: undefined }),
    // These gather while the first is written.
    together.record({ append: markers('d', 0, marker('d1')), over: undefined }),
    together.record({ append: markers('first', 0, marker('late')), over: undefined }),
    together.record({ append: markers('e', 0, marker('e1')), over: undefined }),
  ]);
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'fulfilled']);
  expect((outcomes[2] as PromiseRejectedResult).reason).toBeInstanceOf(StreamConflict);
  expect(await versionsOf('first', 'd', 'e')).toEqual([1, 1, 1]);
});

it('removes a run from the open ones together with its end, or not at all', async () => {
  const together = new RecordTogether(db, openRuns);
  const runs = ['x', 'y'].map((enforcement) => ({
    enforcement,
    partition: 'p',
    queue: 'root',
    fencingToken: 1,
  }));
  await db.transaction((tx) => openRuns.add(tx, runs));
  await together.record({ append: markers('x', 0, marker('x1')), over: 'x' });
  await expect(together.record({ append: markers('x', 0, marker('x1')), over: 'y' })).rejects.toThrow(
    StreamConflict,
  );
  expect(await db.query('SELECT enforcement FROM runs')).toEqual([{ enforcement: 'y' }]);
});

it('a run stays open whose end breaks the schema of its event', async () => {
  const together = new RecordTogether(db, openRuns);
  const run = { enforcement: 'z', partition: 'p', queue: 'root', fencingToken: 1 };
  await db.transaction((tx) => openRuns.add(tx, [run]));
  const { event, ...rest } = marker('z1');
  const wrong = { ...rest, event: { ...event, data: {} } } as NewEvent;
  const end = together.record({ append: markers('z', 0, wrong), over: 'z' });
  await expect(end).rejects.toThrow(ZodError);
  expect(await db.query("SELECT enforcement FROM runs WHERE enforcement = 'z'")).toHaveLength(1);
});
