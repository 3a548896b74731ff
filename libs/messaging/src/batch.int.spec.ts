import { InputError } from '@curtail/contracts';
import { append, beginning, openDatabase, readPage, type StoredEvent } from '@curtail/event-store';
import { trimInbox } from '@curtail/messaging';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { DataSource } from 'typeorm';
import { createMigratedDatabase, type TestDatabase } from '../../../test/support/database.js';
import { marker, markers } from '../../../test/support/events.js';
import { createRecords, nameOf, Recorder } from '../../../test/support/recorder.js';
import { type BatchWork, handleBatch } from './batch.js';

describe('handleBatch', () => {
  let server: TestDatabase;
  let db: DataSource;
  let events: StoredEvent[];
  let moved: string[];
  let parked: string[];
  let errors: Error[];
  beforeEach(async () => {
    server = await createMigratedDatabase();
    db = await openDatabase(server.url);
    await createRecords(db);
    await db.transaction((tx) =>
      append(tx, [markers('a', 0, ...['1', '2', '3', '4'].map((n) => marker(n)))]),
    );
    ({ events } = await readPage(db, beginning, { limit: 10 }));
    [moved, parked, errors] = [[], [], []];
  });
  afterEach(async () => {
    await db.destroy();
    await server.drop();
  });

  const work = (consumer: Recorder): BatchWork => ({
    db,
    consumer,
    moveOn: async () => {},
    movedOn: (last) => moved.push(nameOf(last)),
    passedOver: async (events) => {
      moved.push(nameOf(events.at(-1)!));
    },
    onParked: (event) => parked.push(nameOf(event)),
    onError: (error) => errors.push(error),
    tries: new Map(),
    wait: async () => {},
  });

  it('handles a batch in one transaction, with one call', async () => {
    const recorder = new Recorder(db, 'one');
    await handleBatch(work(recorder), events);
    expect(recorder.batches.all).toEqual([['1', '2', '3', '4']]);
    expect(moved).toEqual(['4']);
    const written = await db.query('SELECT DISTINCT xmin FROM records');
    expect(written).toHaveLength(1);
  });

  it('does once what is delivered twice', async () => {
    const recorder = new Recorder(db, 'one');
    await handleBatch(work(recorder), events);
    await handleBatch(work(recorder), events);
    expect(await recorder.records()).toEqual(['1', '2', '3', '4']);
    expect(moved).toEqual(['4', '4']);
  });

  it('does the rest of a batch of which a part was done before', async () => {
    const recorder = new Recorder(db, 'one');
    await handleBatch(work(recorder), [events[0]!, events[2]!]);
    await handleBatch(work(recorder), events);
    expect(await recorder.records()).toEqual(['1', '3', '2', '4']);
  });

  it('does once what stands in a batch twice', async () => {
    const recorder = new Recorder(db, 'one');
    await handleBatch(work(recorder), [events[0]!, events[1]!, events[0]!]);
    expect(await recorder.records()).toEqual(['1', '2']);
  });

  it('marks the events of each consumer apart', async () => {
    const [one, two] = [new Recorder(db, 'one'), new Recorder(db, 'two')];
    await handleBatch(work(one), events);
    await handleBatch(work(two), events);
    expect(await two.records()).toEqual(['1', '2', '3', '4']);
  });

  it('parks an event once, however often it comes', async () => {
    const recorder = new Recorder(db, 'one', {
      onHandle: (names) => {
        if (names.includes('2')) throw new Error('poison');
      },
    });
    await handleBatch(work(recorder), events);
    await handleBatch(work(recorder), events);
    expect(parked).toEqual(['2']);
    expect(await recorder.records()).toEqual(['1', '3', '4']);
  });

  it('parks an event that the handler finds wrong at once, with the field', async () => {
    const recorder = new Recorder(db, 'one', {
      onHandle: (names) => {
        if (names.includes('2')) throw new InputError('by', 'nobody is called 2');
      },
    });
    await handleBatch(work(recorder), events);
    expect(recorder.batches.all.filter((names) => names.join() === '2')).toHaveLength(1);
    expect(await db.query('SELECT reason, field FROM dead_letters')).toEqual([
      { reason: 'nobody is called 2', field: 'by' },
    ]);
  });

  it('reports a hint after the commit that fails, and does not handle its events again', async () => {
    const recorder = new Recorder(db, 'one');
    const consumer = Object.assign(recorder, {
      handle: async () => async () => () => {
        throw new Error('hint');
      },
    });
    await handleBatch(work(consumer), events);
    expect(errors).toEqual([new Error('hint')]);
    expect([moved, parked]).toEqual([['4'], []]);
  });

  it('forgets marks by and by, the old ones only', async () => {
    await handleBatch(work(new Recorder(db, 'one')), events);
    await db.query(`UPDATE inbox SET handled_at = now() - interval '8 days' WHERE event_id = ANY ($1)`, [
      events.slice(0, 3).map(({ id }) => id),
    ]);
    expect(await trimInbox(db, 9, 2)).toBe(0);
    expect([await trimInbox(db, 7, 2), await trimInbox(db, 7, 2), await trimInbox(db, 7, 2)]).toEqual([
      2, 1, 0,
    ]);
    const left: { event_id: string }[] = await db.query('SELECT event_id FROM inbox');
    expect(left.map(({ event_id }) => event_id)).toEqual([events[3]!.id]);
  });
});
