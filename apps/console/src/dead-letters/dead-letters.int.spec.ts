import { beforeEach, describe, expect, it } from '@jest/globals';
import type { DataSource } from 'typeorm';
import { append, readStream } from '#event-store';
import { marker, markers } from '../../../../test/support/events.js';
import { withMigratedDatabase } from '../../../../test/support/migrated-database.js';
import { DeadLettersController } from './dead-letters.controller.js';
import { DeadLetters, lettersAtOnce } from './dead-letters.js';

const forged = '00000000-0000-5000-8000-000000000001';

describe('commands of operators on dead letters', () => {
  let db: DataSource;
  let controller: DeadLettersController;
  let events: string[];
  withMigratedDatabase((opened) => {
    db = opened;
    controller = new DeadLettersController(new DeadLetters(db));
  });
  /** Three of the timer, one an hour, the oldest first; a forged one; and one of a report. */
  beforeEach(async () => {
    for (const table of ['events', 'dead_letters']) await db.query(`DELETE FROM ${table}`);
    await db.transaction((tx) => append(tx, [markers('a', 0, marker('a1'), marker('a2'), marker('a3'))]));
    events = (await readStream(db, 'a')).map(({ id }) => id);
    const park = (consumer: string, id: string, topic: string, hour: number) =>
      db.query(
        `INSERT INTO dead_letters (consumer, event_id, topic, key, type, reason, parked_at, origin)
         VALUES ($1, $2, $3, 'root.a', 'io.curtail.killswitch.cleared.v1', 'a slip', $4, 'curtail.control/0@7')`,
        [consumer, id, topic, `2026-11-21T${10 + hour}:00:00.000001Z`],
      );
    for (const [hour, id] of events.entries()) await park('timer', id, 'curtail.control', hour);
    await park('executor', forged, 'curtail.control', 4);
    await park('inventory', events[0]!, 'curtail.inventory', 5);
  });

  const keysOf = (items: { consumer: string; event: string }[]) =>
    items.map(({ consumer, event }) => [consumer, event]);
  const recorded = async () =>
    (await readStream(db, 'dead-letters')).map(({ type, data }) => ({ type, data }));
  const refusal = (what: () => Promise<unknown>) =>
    Promise.resolve()
      .then(what)
      .then(() => 'accepted')
      .catch((error) => error.problem?.code ?? error.problem?.type ?? error.message);
  const left = async () => keysOf((await controller.list({})).items);

  it('are listed by consumer, type and time, the latest first, with what to do', async () => {
    const { items } = await controller.list({});
    expect(items.map(({ consumer, retryable }) => [consumer, retryable])).toEqual([
      ['inventory', false],
      ['executor', false],
      ['timer', true],
      ['timer', true],
      ['timer', true],
    ]);
    expect(items[2]).toEqual({
      ...{ consumer: 'timer', event: events[2], topic: 'curtail.control', key: 'root.a' },
      ...{ type: 'KillSwitchCleared', parkedAt: '2026-11-21T12:00:00.000Z', reason: 'a slip', field: null },
      ...{
        source: null,
        origin: 'curtail.control/0@7',
        attempts: 1,
        retryAskedAt: null,
        retryBy: null,
        retryAt: null,
      },
      ...{
        retryable: true,
        nextStep: expect.stringContaining(`curtail dead-letters retry timer/${events[2]}`),
      },
    });
    expect((await controller.list({ consumer: 'executor' })).items).toHaveLength(1);
    expect((await controller.list({ type: 'KillSwitchCleared' })).items).toHaveLength(5);
    expect((await controller.list({ type: 'QuotaChanged' })).items).toHaveLength(0);
    expect((await controller.list({ since: '2026-11-21T12:00:00Z' })).items).toHaveLength(3);
    expect(await refusal(async () => controller.list({ group: 'timer' }))).not.toBe('accepted');
  });

  it('are paged by a place that holds while others come and go', async () => {
    const first = await controller.list({ limit: 2 });
    await db.query(
      `UPDATE dead_letters SET parked_at = now() + interval '1 year' WHERE consumer = 'executor'`,
    );
    const second = await controller.list({ limit: 2, after: first.next });
    const third = await controller.list({ limit: 2, after: second.next });
    expect([first, second, third].flatMap(({ items }) => items)).toHaveLength(5);
    expect(third.next).toBeUndefined();
    expect(await refusal(async () => controller.list({ after: '7' }))).toContain('next');
  });

  it('are shown with the event of the log, if it is the one', async () => {
    expect(await controller.show('timer', events[1]!)).toMatchObject({
      reason: 'a slip',
      logged: { stream: 'a', version: 2, data: { by: 'a2' } },
    });
    expect((await controller.show('executor', forged)).logged).toBeNull();
    expect((await controller.show('inventory', events[0]!)).logged).toBeNull();
    expect(await refusal(async () => controller.show('timer', forged))).toContain('unknown-dead-letter');
  });

  it('are found in the one partition of the log that has their event', async () => {
    const query = db.query.bind(db);
    const asked: [string, unknown[]][] = [];
    db.query = ((text: string, parameters: unknown[]) => {
      asked.push([text, parameters]);
      return query(text, parameters);
    }) as typeof db.query;
    await controller.show('timer', events[1]!);
    await controller.list({ consumer: 'timer' });
    db.query = query;
    expect(asked).toHaveLength(3);
    const scanned = async ([text, parameters]: (typeof asked)[number]) => {
      const lines: { 'QUERY PLAN': string }[] = await query(`EXPLAIN (ANALYZE) ${text}`, parameters);
      const scans = lines
        .map((line) => line['QUERY PLAN'])
        .filter((line) => /Scan.* on events_\w+ /.test(line));
      return scans.filter((line) => !line.includes('never executed'));
    };
    for (const one of asked) expect(await scanned(one)).toHaveLength(1);
  });

  it('are tried again, one or all that can be, on record', async () => {
    expect(await controller.retry({ consumer: 'timer', event: events[1], by: 'ada' })).toEqual({
      letters: [{ consumer: 'timer', event: events[1] }],
      left: [],
      more: false,
    });
    expect(await controller.show('timer', events[1]!)).toMatchObject({
      retryBy: 'ada',
      retryAskedAt: expect.any(String),
    });
    const all = await controller.retry({ all: true, by: 'ada' });
    // First those that no one has requested.
    expect(keysOf(all.letters)).toEqual([0, 2, 1].map((n) => ['timer', events[n]]));
    expect(keysOf(all.left)).toEqual([
      ['executor', forged],
      ['inventory', events[0]],
    ]);
    expect((await recorded()).slice(-2)).toMatchObject([
      {
        type: 'io.curtail.deadletters.retried.v1',
        data: { letters: [{ consumer: 'timer', event: events[1] }], by: 'ada' },
      },
      { data: { letters: all.letters } },
    ]);
  });

  it('are tried again all of them, however many stand before them that cannot be', async () => {
    await db.query(
      `INSERT INTO dead_letters (consumer, event_id, topic, key, type, reason, parked_at)
       SELECT 'timer', gen_random_uuid(), 'curtail.control', 'root.a', 'io.curtail.killswitch.cleared.v1', 'forged', '2026-11-20T00:00:00Z'
       FROM generate_series(1, $1)`,
      [lettersAtOnce + 10],
    );
    const { letters, more } = await controller.retry({ all: true, by: 'ada' });
    expect(keysOf(letters).sort()).toEqual(events.map((event) => ['timer', event]).sort());
    expect(more).toBe(false);
  });

  it('are asked for again in their turn, and those first that no one has asked for', async () => {
    await db.query("DELETE FROM dead_letters WHERE consumer <> 'timer'");
    await controller.retry({ consumer: 'timer', event: events[0], by: 'ada' });
    await db.query(
      `INSERT INTO dead_letters (consumer, event_id, topic, key, type, reason, retry_asked_at)
       SELECT 'other-' || n, $1, 'curtail.control', 'root.a', 'io.curtail.killswitch.cleared.v1', 'a slip', now()
       FROM generate_series(1, $2) n`,
      [events[0], lettersAtOnce],
    );
    const { letters, more } = await controller.retry({ all: true, by: 'ada' });
    expect(keysOf(letters)).toEqual(
      expect.arrayContaining([
        ['timer', events[1]],
        ['timer', events[2]],
      ]),
    );
    expect(more).toBe(false);
  });

  it('are never tried again when they are not of the log, and nothing is recorded', async () => {
    await db.query('DELETE FROM events');
    for (const [consumer, event] of [
      ['executor', forged],
      ['inventory', events[0]],
    ]) {
      expect(await refusal(() => controller.retry({ consumer, event }))).toContain('not-retryable');
    }
    expect(await recorded()).toEqual([]);
    const asked = await db.query('SELECT FROM dead_letters WHERE retry_asked_at IS NOT NULL');
    expect(asked).toEqual([]);
  });

  it('are given up with a reason, on record', async () => {
    expect(await refusal(async () => controller.discard({ all: true }))).not.toBe('accepted');
    expect(await left()).toHaveLength(5);
    await controller.discard({ event: events[0], consumer: 'inventory', reason: 'listed since', by: 'ada' });
    expect(await left()).toHaveLength(4);
    const done = await controller.discard({ consumer: 'timer', all: true, reason: 'old', by: 'ada' });
    expect(done.letters).toHaveLength(3);
    expect(await left()).toEqual([['executor', forged]]);
    expect((await recorded()).at(-1)).toMatchObject({
      type: 'io.curtail.deadletters.discarded.v1',
      data: { reason: 'old', by: 'ada', letters: done.letters },
    });
  });

  it('are not meant all of them by mistake', async () => {
    expect(await refusal(async () => controller.retry({ consumer: 'timer' }))).not.toBe('accepted');
    expect(await refusal(async () => controller.discard({ reason: 'why not' }))).not.toBe('accepted');
    expect(await left()).toHaveLength(5);
  });
});
