import { Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { QueryFailedError } from 'typeorm';
import { durabilityWarnings, openDatabase, type Tx, WakeListener } from '#event-store';
import { createTestDatabase, type TestDatabase } from '../../../test/support/database.js';
import { Recorded } from '../../../test/support/recorded.js';

describe('openDatabase', () => {
  let server: TestDatabase;
  beforeAll(async () => {
    server = await createTestDatabase();
  });
  afterAll(() => server.drop());

  it('warns of a server that may forget what was committed', async () => {
    const db = await openDatabase(server.url, { poolSize: 1 });
    await db.query('SET synchronous_commit = off');
    const warnings = await durabilityWarnings(db);
    expect(warnings).toContainEqual({
      setting: 'synchronous_commit',
      warning:
        'PostgreSQL runs with synchronous_commit off: a crash may lose committed transactions. Set it to on.',
    });
    await db.query('SET synchronous_commit = on');
    expect((await durabilityWarnings(db)).map(({ setting }) => setting)).not.toContain('synchronous_commit');
    await db.destroy();
  });

  it('passes arrays to the server unchanged', async () => {
    const db = await openDatabase(server.url, { poolSize: 1 });
    const texts = [
      '',
      'a',
      'null',
      'NULL',
      null,
      '"',
      '\\',
      '\\n',
      '{},',
      ' a b ',
      'line\nline',
      '\u0001',
      'é\ud83d\ude00',
    ];
    const amounts = [0, -1, null, 2 ** 31 - 1, 1.5];
    for (const some of [texts, ...texts.map((text) => [text]), []]) {
      expect(await db.query('SELECT $1::text[] AS texts', [some])).toEqual([{ texts: some }]);
    }
    expect(await db.query('SELECT $1::float8[] AS amounts', [amounts])).toEqual([{ amounts }]);
    expect(await db.query('SELECT $1::int[] AS amounts', [[1, null]])).toEqual([{ amounts: [1, null] }]);
    await db.destroy();
  });

  it('ends idle transactions', async () => {
    const db = await openDatabase(server.url);
    expect(await db.query('SHOW idle_in_transaction_session_timeout')).toEqual([
      { idle_in_transaction_session_timeout: '10s' },
    ]);
    await db.destroy();
  });

  it('limits statements and waits for locks as configured', async () => {
    const limits = { statementTimeoutMs: 2000, lockTimeoutMs: 200, idleTransactionMs: 3000 };
    const db = await openDatabase(server.url, limits);
    await db.query('CREATE TABLE IF NOT EXISTS locked (id int)');
    const holder = db.createQueryRunner();
    await holder.startTransaction();
    await holder.query('LOCK TABLE locked');
    await expect(db.query('SELECT * FROM locked')).rejects.toMatchObject({ driverError: { code: '55P03' } });
    await holder.rollbackTransaction();
    await holder.release();
    const set = await db.query(
      "SELECT current_setting('statement_timeout') AS s, current_setting('idle_in_transaction_session_timeout') AS i",
    );
    expect(set).toEqual([{ s: '2s', i: '3s' }]);
    await db.destroy();
  });

  it('uses the index also of a table that was empty when the statement was planned', async () => {
    const db = await openDatabase(server.url, { poolSize: 1 });
    await db.query('CREATE TABLE runs (id text PRIMARY KEY, entry json)');
    const update = `UPDATE runs SET entry = run.entry FROM unnest($1::text[], $2::json[]) AS run (id, entry) WHERE runs.id = run.id`;
    await db.query(`PREPARE planned (text[], json[]) AS ${update}`);
    const plan = await db.query<Record<'QUERY PLAN', string>[]>(
      `EXPLAIN EXECUTE planned (ARRAY['a', 'b'], ARRAY['1', '2']::json[])`,
    );
    expect(plan.map((line) => line['QUERY PLAN']).join('\n')).toContain('Index Scan using runs_pkey');
    await db.destroy();
  });

  it('probes silent connections: a server may be lost silently', async () => {
    const asked = jest.spyOn(Socket.prototype, 'setKeepAlive');
    const db = await openDatabase(server.url);
    expect(asked.mock.calls).toEqual([[true, 10_000]]);
    const wake = new WakeListener(server.url);
    await wake.start();
    expect(asked.mock.calls).toEqual([
      [true, 10_000],
      [true, 10_000],
    ]);
    asked.mockRestore();
    await wake.stop();
    await db.destroy();
  });

  it('outlives connections that are cut, idle ones and those of a transaction', async () => {
    const errors = new Recorded<Error>();
    const db = await openDatabase(server.url, {
      applicationName: 'victim',
      onPoolError: (error) => errors.add(error),
    });
    const outside = await openDatabase(server.url, { applicationName: 'outside' });
    const cut = () =>
      outside.query(
        "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE application_name = 'victim'",
      );
    await db.query('SELECT 1');
    await cut();
    await errors.first(1);
    const attempt = db.transaction(async (tx) => {
      await tx.query('SELECT 1');
      await cut();
      await tx.query('SELECT 1');
    });
    await expect(attempt).rejects.toThrow();
    expect(await db.query('SELECT 1 AS one')).toEqual([{ one: 1 }]);
    await db.destroy();
    await outside.destroy();
  });

  it.each([
    ['two statements', (tx: Tx) => tx.query('SELECT 2')],
    ['the last statement and the commit', async () => {}],
  ])('says why a connection was lost between %s', async (_where, goOn) => {
    const db = await openDatabase(server.url, { poolSize: 1, applicationName: 'between' });
    const outside = await openDatabase(server.url);
    const attempt = db.transaction(async (tx) => {
      await tx.query('SELECT 1');
      await outside.query(
        "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE application_name = 'between'",
      );
      while (!tx.queryRunner!.isReleased) await nextTurn();
      await goOn(tx);
    });
    const reason = 'terminating connection due to administrator command';
    const error: unknown = await attempt.catch((thrown) => thrown);
    expect(error).toMatchObject({
      message: reason,
      code: '57P01',
      cause: { name: expect.stringMatching('AlreadyReleased') },
    });
    // No statement failed, so whether the database is away is still to be asked.
    expect(error).not.toBeInstanceOf(QueryFailedError);
    await db.destroy();
    await outside.destroy();
  });

  it('runs statements of a transaction in the order in which they were issued, without waiting in between', async () => {
    const db = await openDatabase(server.url);
    const statements = [
      'CREATE TABLE marks (nr int)',
      'INSERT INTO marks VALUES (1)',
      'UPDATE marks SET nr = 2',
    ];
    const seen = await db.transaction(async (tx) => {
      const answers = await Promise.all([
        ...statements.map((statement) => tx.query(statement)),
        tx.query('SELECT nr FROM marks'),
      ]);
      return answers.at(-1);
    });
    expect(seen).toEqual([{ nr: 2 }]);
    await db.destroy();
  });

  it('writes nothing of a transaction in which one of several statements fails, and reports that one', async () => {
    const db = await openDatabase(server.url, { poolSize: 1 });
    await db.query('CREATE TABLE kept (nr int PRIMARY KEY)');
    const attempt = db.transaction((tx) =>
      Promise.all([1, 1, 2].map((nr) => tx.query('INSERT INTO kept VALUES ($1)', [nr]))),
    );
    await expect(attempt).rejects.toThrow('kept_pkey');
    expect(await db.query('SELECT nr FROM kept')).toEqual([]);
    await db.destroy();
  });

  it('does not take a transaction for committed in which a failed statement was passed over', async () => {
    const db = await openDatabase(server.url, { poolSize: 1 });
    await db.query('CREATE TABLE passed (nr int PRIMARY KEY)');
    const attempt = db.transaction((tx) =>
      Promise.allSettled([1, 1, 2].map((nr) => tx.query('INSERT INTO passed VALUES ($1)', [nr]))),
    );
    await expect(attempt).rejects.toThrow('was rolled back');
    expect(await db.query('SELECT nr FROM passed')).toEqual([]);
    await db.destroy();
  });

  it('writes nothing of a transaction in which a statement could not be sent', async () => {
    const db = await openDatabase(server.url, { poolSize: 1 });
    await db.query('CREATE TABLE half (nr int)');
    const insert = 'INSERT INTO half SELECT 2 WHERE $1::json IS NOT NULL';
    const circular: Record<string, unknown> = {};
    circular.self = circular;
    const attempt = db.transaction((tx) =>
      Promise.all([tx.query('INSERT INTO half VALUES (1)'), tx.query(insert, [circular])]),
    );
    await expect(attempt).rejects.toThrow('circular');
    expect(await db.query('SELECT nr FROM half')).toEqual([]);
    // The connection has not lost the statement.
    await db.query(insert, [{}]);
    expect(await db.query('SELECT nr FROM half')).toEqual([{ nr: 2 }]);
    await db.destroy();
  });

  it('writes nothing of a transaction that asks for more while it is rolled back', async () => {
    const db = await openDatabase(server.url, { poolSize: 1 });
    await db.query('CREATE TABLE late (nr int)');
    let late: Promise<unknown> | undefined;
    const attempt = db.transaction(async (tx) => {
      const failing = tx.query('SELECT 1 / 0');
      late = failing.catch(() => nextTurn()).then(() => tx.query('INSERT INTO late VALUES (1)'));
      await Promise.all([failing, late]);
    });
    await expect(attempt).rejects.toThrow('division by zero');
    await expect(late).rejects.toThrow('rolled back');
    expect(await db.query('SELECT nr FROM late')).toEqual([]);
    await db.destroy();
  });

  it('rejects with a lost connection where a transaction begins', async () => {
    const db = await openDatabase(server.url, { poolSize: 1, applicationName: 'begins' });
    const outside = await openDatabase(server.url);
    const attempt = db.transaction(async (tx) => {
      await outside.query(
        "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE application_name = 'begins'",
      );
      return tx.query('SELECT 1');
    });
    await expect(attempt).rejects.toThrow();
    expect(await db.query('SELECT 1 AS one')).toEqual([{ one: 1 }]);
    await db.destroy();
    await outside.destroy();
  });
});
