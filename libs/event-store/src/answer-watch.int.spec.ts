import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { DataSource } from 'typeorm';
import { openDatabase } from '#event-store';
import { databaseAway } from '#platform';
import { createTestDatabase, type TestDatabase } from '../../../test/support/database.js';
import { TcpProxy } from '../../../test/support/tcp-proxy.js';

const watch = { silenceMs: 200, probeMs: 2000 };

describe('a database that is lost silently', () => {
  let server: TestDatabase;
  let way: TcpProxy & { url: string };
  let db: DataSource;
  beforeAll(async () => {
    server = await createTestDatabase();
    way = await TcpProxy.to(server.url);
    db = await openDatabase(way.url, { watch });
  });
  afterAll(async () => {
    await db?.destroy();
    await way?.cut();
    await server?.drop();
  });

  it('ends the connections that wait for an answer, also in the middle of a transaction', async () => {
    const alone = db.query('SELECT pg_sleep(3600)').catch((error: unknown) => error);
    const inTransaction = db.transaction(async (tx) => {
      await tx.query('SELECT 1');
      await way.hole();
      await tx.query('SELECT 2');
    });
    await expect(inTransaction).rejects.toThrow('the database is lost: no answer for');
    const lost = await alone;
    expect(String(lost)).toContain('the database is lost: no answer for');
    expect(databaseAway(lost)).toBe(true);
    await way.pass();
    expect(await db.query('SELECT 1 AS one')).toEqual([{ one: 1 }]);
  });

  it('does not interrupt a slow statement while the server answers others', async () => {
    expect(await db.query('SELECT pg_sleep(1), 1 AS one')).toMatchObject([{ one: 1 }]);
  });

  it('ends a statement that waits, although the server answered several checks before', async () => {
    const waiting = db.query('SELECT pg_sleep(3600)').catch((error: unknown) => error);
    await db.query('SELECT pg_sleep(1)');
    await way.hole();
    expect(String(await waiting)).toContain('the database is lost: no answer for');
    await way.pass();
  });
});
