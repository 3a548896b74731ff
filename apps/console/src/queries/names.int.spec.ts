import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { DataSource } from 'typeorm';
import type { ClusterReader } from '#clusters';
import { migrateDatabase, openDatabase } from '#event-store';
import { migrations } from '#migrations';
import { createTestDatabase, type TestDatabase } from '../../../../test/support/database.js';
import { query } from '../../../../test/support/query.js';
import { Names } from './names.js';

describe('allocations that runs chose, by the beginning of their ids', () => {
  const name = `test_${randomBytes(6).toString('hex')}`;
  let server: TestDatabase;
  let db: DataSource;

  beforeAll(async () => {
    server = await createTestDatabase();
    await query(
      server.url,
      `CREATE DATABASE ${name} TEMPLATE template0 ENCODING 'UTF8' LOCALE_PROVIDER icu ICU_LOCALE 'en-US'`,
    );
    const url = new URL(server.url);
    url.pathname = `/${name}`;
    await migrateDatabase(url.href, migrations);
    db = await openDatabase(url.href);
    await db.query(
      `INSERT INTO read_victims (enforcement, allocation, partition, queue, application, rank, resources, reason, state, updated_at)
       SELECT 'e-' || run, 'job-' || lpad(number::text, 5, '0'), 'default', 'root', 'app', number, '{}', '', 'evicted', now()
       FROM generate_series(1, 20000) number, generate_series(1, 2) run`,
    );
    await db.query('ANALYZE read_victims');
  });
  afterAll(async () => {
    await db.destroy();
    await query(server.url, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
    await server.drop();
  });

  const cluster = { allocation: async () => undefined, allocations: async () => [] };
  const asked: [string, unknown[]][] = [];
  const recorded = {
    query: (sql: string, values: unknown[]) => {
      asked.push([sql, values]);
      return db.query(sql, values);
    },
  } as DataSource;
  const planOfLast = async () => {
    const [sql, values] = asked.at(-1)!;
    const rows = await db.query<{ 'QUERY PLAN': unknown }[]>(`EXPLAIN (ANALYZE, FORMAT JSON) ${sql}`, values);
    return JSON.stringify(rows[0]!['QUERY PLAN'], null, 1);
  };
  const like = (prefix: string) =>
    new Names(recorded, cluster as unknown as ClusterReader).like('allocation', {
      prefix,
      partition: 'default',
      limit: 3,
    });

  it('are found by an index in a database whose locale is not C, each once and in order', async () => {
    expect(await like('job-1234')).toEqual(['job-12340', 'job-12341', 'job-12342']);
    expect(await like('')).toEqual(['job-00001', 'job-00002', 'job-00003']);
    expect(await like('job-00001')).toEqual(['job-00001']);
    expect(await like('nosuch')).toEqual([]);
    for (const prefix of ['job-1234', 'job-1', '']) {
      await like(prefix);
      const plan = await planOfLast();
      expect(plan).toContain('read_victims_allocation_name');
      expect(plan).not.toContain('Sort');
      expect(
        Math.max(...[...plan.matchAll(/"Actual Rows": (\d+)/g)].map(([, rows]) => Number(rows))),
      ).toBeLessThan(10);
    }
  });
});
