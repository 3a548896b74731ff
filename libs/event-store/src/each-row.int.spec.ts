import { eachRow, openDatabase } from '@curtail/event-store';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type DataSource, QueryFailedError } from 'typeorm';
import { createMigratedDatabase, type TestDatabase } from '../../../test/support/database.js';

describe('eachRow', () => {
  let server: TestDatabase;
  let db: DataSource;
  beforeAll(async () => {
    server = await createMigratedDatabase();
    db = await openDatabase(server.url, { poolSize: 1 });
  });
  afterAll(async () => {
    await db.destroy();
    await server.drop();
  });

  const numbers = 'SELECT n::int FROM generate_series(1, $1::int) AS n';
  const collect = (text: string, values: unknown[]) => {
    const rows: { n: number }[] = [];
    const read = db.transaction((tx) => eachRow<{ n: number }>(tx, text, values, (row) => rows.push(row)));
    return { rows, read };
  };

  it('returns all rows in their order', async () => {
    const { rows, read } = collect(numbers, [30_000]);
    await read;
    expect(rows.map(({ n }) => n)).toEqual(Array.from({ length: 30_000 }, (_, i) => i + 1));
  });

  it('reads the writes of its transaction, between other statements of it', async () => {
    const rows: object[] = [];
    await db.transaction(async (tx) => {
      await tx.query('CREATE TEMPORARY TABLE written (n int) ON COMMIT DROP');
      await tx.query('INSERT INTO written VALUES (7)');
      await eachRow(tx, 'SELECT n FROM written', [], (row) => rows.push(row));
      await tx.query('INSERT INTO written VALUES (8)');
    });
    expect(rows).toEqual([{ n: 7 }]);
  });

  it('fails with the error of the server, after the rows that came before it', async () => {
    const { rows, read } = collect('SELECT 10 / (3 - n) AS n FROM generate_series(1, $1::int) AS n', [5]);
    await expect(read).rejects.toThrow(QueryFailedError);
    await expect(read).rejects.toMatchObject({ driverError: { code: '22012' } });
    expect(rows).toEqual([{ n: 5 }, { n: 10 }]);
    // The only connection is usable again.
    await expect(db.query('SELECT 1 AS one')).resolves.toEqual([{ one: 1 }]);
  });

  it('fails with the error that the caller threw, and skips the rest', async () => {
    let seen = 0;
    const read = db.transaction((tx) =>
      eachRow(tx, numbers, [1000], () => {
        if (++seen === 2) throw new RangeError('enough');
      }),
    );
    await expect(read).rejects.toThrow(new RangeError('enough'));
    expect(seen).toBe(2);
    await expect(db.query('SELECT 1 AS one')).resolves.toEqual([{ one: 1 }]);
  });

  it('fails when the connection ends in the middle', async () => {
    const other = await openDatabase(server.url, { poolSize: 1, applicationName: 'ended' });
    const ending = other.transaction((tx) =>
      eachRow(tx, 'SELECT n, pg_sleep(0.001) FROM generate_series(1, 1000000) AS n', [], () => {}),
    );
    ending.catch(() => {});
    await db.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'ended'`);
    await expect(ending).rejects.toThrow();
    await other.destroy();
  });
});
