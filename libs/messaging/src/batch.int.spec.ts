import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { DataSource } from 'typeorm';
import { InputError } from '#contracts';
import {
  append,
  beginning,
  type KnownEvent,
  openDatabase,
  readPage,
  type StoredEvent,
  type Tx,
} from '#event-store';
import { trimAttempts, trimInbox } from '#messaging';
import { createMigratedDatabase, type TestDatabase } from '../../../test/support/database.js';
import { marker, markers } from '../../../test/support/events.js';
import { createRecords, nameOf, Recorder } from '../../../test/support/recorder.js';
import { Attempts } from './attempts.js';
import { BatchOvertaken, type BatchWork, handleBatch } from './batch.js';
import type { Consumer } from './consumer.js';
import { loadCursor } from './cursor-table.js';
import { handledOf, markAndMove, markHandled } from './inbox.js';

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
    claim: (tx, claimed) => markHandled(tx, consumer.name, claimed),
    handled: (some) => handledOf(db.manager, consumer.name, some),
    movedOn: (last) => moved.push(nameOf(last)),
    passedOver: async (events) => {
      moved.push(nameOf(events.at(-1)!));
    },
    onParked: (event) => parked.push(nameOf(event)),
    onError: (error) => errors.push(error),
    attempts: new Attempts(db, consumer.name),
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

  it('handles an event once that is delivered twice', async () => {
    const recorder = new Recorder(db, 'one');
    await handleBatch(work(recorder), events);
    await handleBatch(work(recorder), events);
    expect(await recorder.records()).toEqual(['1', '2', '3', '4']);
    expect(moved).toEqual(['4', '4']);
  });

  it('handles the rest of a partly handled batch', async () => {
    const recorder = new Recorder(db, 'one');
    await handleBatch(work(recorder), [events[0]!, events[2]!]);
    await handleBatch(work(recorder), events);
    expect(await recorder.records()).toEqual(['1', '3', '2', '4']);
  });

  it('makes a dead letter of an event whose effects would append a wrong one', async () => {
    const wrong = marker('wrong');
    Object.assign(wrong.event, { data: {} });
    const recorder = new Recorder(db, 'one', { appends: [markers('w', 0, wrong)] });
    await handleBatch(work(recorder), [events[0]!]);
    expect(parked).toEqual(['1']);
    expect(await recorder.records()).toEqual([]);
  });

  it('handles an event once that is in a batch twice', async () => {
    const recorder = new Recorder(db, 'one');
    await handleBatch(work(recorder), [events[0]!, events[1]!, events[0]!]);
    expect(await recorder.records()).toEqual(['1', '2']);
  });

  it('runs no effects of events that were handled before', async () => {
    const effects: string[][] = [];
    const recorder = new Recorder(db, 'one', { onEffects: (names) => void effects.push(names) });
    await handleBatch(work(recorder), events);
    await handleBatch(work(recorder), events);
    expect(effects).toEqual([['1', '2', '3', '4']]);
  });

  it('waits for the cursor before it marks events, as others do that lock both', async () => {
    const to = { transactionId: events.at(-1)!.transactionId, position: events.at(-1)!.position };
    const from = await loadCursor(db, 'one');
    const [marking] = await db.transaction(async (tx) => {
      await tx.query("SELECT FROM subscriptions WHERE name = 'one' FOR UPDATE");
      const marking = db.transaction((other) => markAndMove(other, 'one', events, { from, to }));
      marking.catch(() => {});
      const waits =
        "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
      while ((await db.query<unknown[]>(waits)).length === 0);
      await markHandled(tx, 'one', events);
      return [marking];
    });
    expect(await marking).toBe(0);
  });

  it('marks the events of each consumer apart', async () => {
    const [one, two] = [new Recorder(db, 'one'), new Recorder(db, 'two')];
    await handleBatch(work(one), events);
    await handleBatch(work(two), events);
    expect(await two.records()).toEqual(['1', '2', '3', '4']);
  });

  it('makes one dead letter of an event, however often it is delivered', async () => {
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

  it('makes a dead letter of an event that the handler rejects at once, with the field', async () => {
    const recorder = new Recorder(db, 'one', {
      onHandle: (names) => {
        if (names.includes('2')) throw new InputError('by', 'there is no author 2');
      },
    });
    await handleBatch(work(recorder), events);
    expect(recorder.batches.all.filter((names) => names.join() === '2')).toHaveLength(1);
    expect(await db.query('SELECT reason, field FROM dead_letters')).toEqual([
      { reason: 'there is no author 2', field: 'by' },
    ]);
  });

  it.each([
    ['read-only', ['SET TRANSACTION READ ONLY', 'CREATE TABLE made_here (id int)']],
    ['full of connections', ["DO $$ BEGIN RAISE SQLSTATE '53300'; END $$"]],
  ])('blames no event for a database that is %s: it is redelivered', async (_, statements) => {
    const consumer = new Recorder(db, 'one');
    const broken = Object.assign(consumer, {
      handle: async () => async (tx: Tx) => {
        for (const statement of statements) await tx.query(statement);
      },
    });
    await expect(handleBatch(work(broken), events)).rejects.toThrow();
    expect([parked, await db.query('SELECT * FROM attempts')]).toEqual([[], []]);
  });

  const outOfTime: [string, string[]][] = [
    ['a statement that takes too long', ["SET LOCAL statement_timeout = '5ms'", 'SELECT pg_sleep(1)']],
    ['a lock that is not given back', ["SET LOCAL lock_timeout = '5ms'", 'LOCK TABLE records IN SHARE MODE']],
    ['a transaction that was broken off', ["SET LOCAL idle_in_transaction_session_timeout = '5ms'", 'idle']],
    ['a transaction that has failed', ["SET LOCAL statement_timeout = '5ms'", 'failed', 'SELECT 1']],
  ];
  /** An event whose effects run the statements; the others succeed. */
  function slow(name: string, statements: string[]): Recorder {
    const consumer = new Recorder(db, 'one');
    const handle = consumer.handle.bind(consumer);
    return Object.assign(consumer, {
      handle: async (all: KnownEvent[]) => {
        const effects = await handle(all);
        return async (tx: Tx) => {
          if (all.some((event) => nameOf(event) === name)) {
            for (const statement of statements) {
              if (statement === 'idle') await delay(50);
              else if (statement === 'failed') await tx.query('SELECT pg_sleep(1)').catch(() => {});
              else await tx.query(statement);
            }
          }
          return effects(tx);
        };
      },
    });
  }
  describe.each(outOfTime)('with %s', (_, statements) => {
    let release: () => Promise<void>;
    beforeEach(async () => {
      const holder = db.createQueryRunner();
      await holder.startTransaction();
      await holder.query('LOCK TABLE records IN ROW EXCLUSIVE MODE');
      release = async () => {
        await holder.commitTransaction();
        await holder.release();
      };
    });

    it('tries an event again, more often than one that fails by itself', async () => {
      let tries = 0;
      const consumer = slow('2', statements);
      const handle = consumer.handle.bind(consumer);
      const passing = Object.assign(consumer, {
        handle: async (all: KnownEvent[]) => {
          const isOver = all.length === 1 && nameOf(all[0]!) === '2' && ++tries > 10;
          return isOver ? Recorder.prototype.handle.call(consumer, all) : handle(all);
        },
      });
      await handleBatch(work(passing), events);
      await release();
      expect([parked, await consumer.records()]).toEqual([[], ['1', '2', '3', '4']]);
      expect(await db.query('SELECT * FROM attempts')).toEqual([]);
    });

    it('makes a dead letter of an event that never gets enough of it, with the reason, and handles the others', async () => {
      const consumer = slow('2', statements);
      await handleBatch(work(consumer), events);
      await release();
      expect([parked, await consumer.records()]).toEqual([['2'], ['1', '3', '4']]);
      const [letter] = await db.query<{ reason: string }[]>('SELECT reason FROM dead_letters');
      expect(letter!.reason).toMatch(/^each of 30 attempts ran out of time: /);
    });
  });

  it('does not count as crashing processes that only fail to read its data, however many', async () => {
    const [event] = events;
    const processes = [1, 2, 3, 4].map((nr) => {
      const attempts = new Attempts(db, 'one', `00000000-0000-4000-8000-00000000000${nr}`);
      attempts.beCareful();
      return attempts;
    });
    const last = processes.pop()!;
    for (const attempts of processes) {
      const read = () => Promise.reject(new Error('statement timeout'));
      await expect(attempts.unlessDeadly(event!, read)).rejects.toThrow('statement timeout');
    }
    expect(await last.unlessDeadly(event!, async () => 'read')).toBe('read');
  });

  it('continues the count of tries of another process', async () => {
    const poison = { onHandle: (names: string[]) => expect(names).not.toContain('2') };
    const wait = async () => {
      throw new Error('ended');
    };
    for (let process = 1; process <= 5; process++) {
      await expect(handleBatch({ ...work(new Recorder(db, 'one', poison)), wait }, events)).rejects.toThrow(
        'ended',
      );
      expect(await db.query('SELECT tries FROM attempts')).toEqual([{ tries: process }]);
    }
    await handleBatch({ ...work(new Recorder(db, 'one', poison)), wait }, events);
    expect([parked, await db.query('SELECT * FROM attempts')]).toEqual([['2'], []]);
  });

  describe('a process that crashes with an event', () => {
    /** As several processes in a row: each is careful at its start, and some crash with the event `deadly`. */
    const careful = (process: number) => {
      const attempts = new Attempts(db, 'one', `00000000-0000-4000-8000-00000000000${process}`);
      attempts.beCareful();
      return attempts;
    };
    /** A crashed process does nothing more. */
    async function runUntilItEnds(
      process: number,
      deadly: string,
      givenUp?: Consumer['givenUp'],
    ): Promise<Recorder> {
      const attempts = careful(process);
      const recorder = new Recorder(db, 'one', {
        onHandle: (names) => {
          if (!names.includes(deadly)) return;
          attempts.survived = async () => {};
          throw new BatchOvertaken('the process has ended');
        },
      });
      if (givenUp) Object.assign(recorder, { givenUp });
      await handleBatch({ ...work(recorder), attempts }, events).catch((error: unknown) => {
        if (!(error instanceof BatchOvertaken)) throw error;
      });
      return recorder;
    }

    it('makes the next one handle the begun events one by one, and the fourth make it a dead letter', async () => {
      for (const process of [1, 2, 3]) await runUntilItEnds(process, '3');
      const fourth = await runUntilItEnds(4, '3', async (tx, { data }, reason) => {
        await tx.query("INSERT INTO records (consumer, name) VALUES ('given up', $1)", [
          `${(data as { by: string }).by}: ${reason}`,
        ]);
      });
      expect(await db.query("DELETE FROM records WHERE consumer = 'given up' RETURNING name")).toEqual([
        [{ name: expect.stringMatching(/^3: 3 processes in a row ended while they handled it/) }],
        1,
      ]);
      expect(await fourth.records()).toEqual(['1', '2', '4']);
      expect(parked).toEqual(['3']);
      const letters = await db.query<{ reason: string }[]>('SELECT reason FROM dead_letters');
      expect(letters.map(({ reason }) => reason)).toEqual([
        expect.stringMatching(/^3 processes in a row ended while they handled it/),
      ]);
      expect(await db.query('SELECT * FROM attempts')).toEqual([]);
    });

    it('leaves the count of its retry alone when the event is delivered again, and does not handle it', async () => {
      for (const process of [1, 2, 3, 4]) await runUntilItEnds(process, '3');
      // As a retry of its dead letter, in a process that crashes with it.
      await careful(5).begin([events[2]!]);
      const counted = await db.query('SELECT * FROM attempts');
      const recorder = new Recorder(db, 'one');
      moved = [];
      await handleBatch({ ...work(recorder), attempts: careful(6) }, events);
      expect(recorder.batches.all).toEqual([]);
      expect([moved.at(-1), await db.query('SELECT * FROM attempts')]).toEqual(['4', counted]);
    });

    it('handles the events that are new between those delivered again', async () => {
      await handleBatch(work(new Recorder(db, 'one')), [events[0]!, events[2]!]);
      const recorder = new Recorder(db, 'one');
      await handleBatch({ ...work(recorder), attempts: careful(1) }, events);
      expect(recorder.batches.all).toEqual([['2'], ['4']]);
    });

    it('does not count failures of a living process', async () => {
      for (const process of [1, 2, 3, 4, 5]) {
        const recorder = new Recorder(db, 'one', {
          onHandle: () => {
            throw new BatchOvertaken('another process has them');
          },
        });
        await expect(handleBatch({ ...work(recorder), attempts: careful(process) }, events)).rejects.toThrow(
          BatchOvertaken,
        );
      }
      await handleBatch({ ...work(new Recorder(db, 'one')), attempts: careful(6) }, events);
      expect([parked, await db.query('SELECT * FROM attempts')]).toEqual([[], []]);
    });

    it('records nothing while all events succeed, except for a while after its start', async () => {
      const seen: unknown[] = [];
      const recorder = () =>
        new Recorder(db, 'one', {
          onHandle: async () => {
            seen.push(...(await db.query('SELECT event_id FROM attempts')));
          },
        });
      await handleBatch(work(recorder()), events.slice(0, 2));
      expect(seen).toEqual([]);
      await handleBatch({ ...work(recorder()), attempts: careful(1) }, events.slice(2));
      expect(seen).toHaveLength(2);
      expect(await db.query('SELECT * FROM attempts')).toEqual([]);
    });

    it('leaves records that are deleted in time', async () => {
      await runUntilItEnds(1, '3');
      await db.query("UPDATE attempts SET noted_at = now() - interval '8 days'");
      expect([
        await trimAttempts(db, 9, 10),
        await trimAttempts(db, 7, 3),
        await trimAttempts(db, 7, 3),
      ]).toEqual([0, 3, 1]);
    });
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

  it('deletes marks in time, the old ones only', async () => {
    await handleBatch(work(new Recorder(db, 'one')), events);
    await db.query(`UPDATE inbox SET handled_at = now() - interval '8 days' WHERE event_id = ANY ($1)`, [
      events.slice(0, 3).map(({ id }) => id),
    ]);
    expect(await trimInbox(db, 9, 2)).toBe(0);
    expect([await trimInbox(db, 7, 2), await trimInbox(db, 7, 2), await trimInbox(db, 7, 2)]).toEqual([
      2, 1, 0,
    ]);
    const left = await db.query<{ event_id: string }[]>('SELECT event_id FROM inbox');
    expect(left.map(({ event_id }) => event_id)).toEqual([events[3]!.id]);
  });
});
