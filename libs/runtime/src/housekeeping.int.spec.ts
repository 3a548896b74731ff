import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { DataSource } from 'typeorm';
import { openDatabase } from '#event-store';
import { readSettings } from '#platform';
import { createMigratedDatabase, type TestDatabase } from '../../../test/support/database.js';
import { Housekeeping } from './housekeeping.js';
import { retentionSettings } from './settings/retention-settings.js';
import { sharedTrims } from './trims.js';

const kept = readSettings(retentionSettings, {});

describe('housekeeping', () => {
  let server: TestDatabase;
  let db: DataSource;
  let noted: { trimmed: Record<string, number>; bytes: Record<string, number>; warned: unknown[] };
  beforeEach(async () => {
    server = await createMigratedDatabase();
    db = await openDatabase(server.url);
    noted = { trimmed: {}, bytes: {}, warned: [] };
  });
  afterEach(async () => {
    await db.destroy();
    await server.drop();
  });

  const tidy = () =>
    new Housekeeping(db, { warn: (...words: unknown[]) => noted.warned.push(words) }, sharedTrims(kept), {
      rowsTrimmed: (table, rows) => {
        noted.trimmed[table] = (noted.trimmed[table] ?? 0) + rows;
      },
      isLarge: (table, bytes) => {
        noted.bytes[table] = bytes;
      },
    }).tidy();
  const left = async (table: string, column: string): Promise<unknown[]> =>
    (await db.query(`SELECT DISTINCT ${column} AS it FROM ${table} ORDER BY 1`)).map(
      ({ it }: { it: unknown }) => it,
    );

  it('trims expired rows, in steps, and nothing else', async () => {
    await db.query(
      `INSERT INTO dead_letters (consumer, event_id, topic, key, type, reason, parked_at)
       SELECT name, gen_random_uuid(), 't', 'k', 'type', '', now() - age
       FROM (VALUES ('old', interval '366 days'), ('young', interval '364 days')) AS n (name, age)`,
    );
    await db.query(
      `INSERT INTO preemptive_nodes (partition, node, last_preemptive_at)
       SELECT 'p', node, now() - age FROM (VALUES ('old', interval '31 days'), ('young', interval '29 days')) AS n (node, age)`,
    );
    await db.query(
      `INSERT INTO inbox (consumer, event_id, handled_at)
       SELECT name, gen_random_uuid(), now() - age FROM (VALUES ('old', interval '8 days'), ('young', interval '6 days')) AS n (name, age)`,
    );
    await db.query(
      `INSERT INTO recent_victims (enforcement, allocation, partition, application, queue, evicted_at)
       SELECT 'e', allocation, 'p', 'app', 'root', now() - age
       FROM (VALUES ('old', interval '91 days'), ('young', interval '89 days')) AS n (allocation, age)`,
    );
    await tidy();
    expect(noted.warned).toEqual([]);
    expect(await left('recent_victims', 'allocation')).toEqual(['young']);
    expect(await left('dead_letters', 'consumer')).toEqual(['young']);
    expect(await left('preemptive_nodes', 'node')).toEqual(['young']);
    expect(await left('inbox', 'consumer')).toEqual(['young']);
    expect(noted.trimmed).toEqual({
      attempts: 0,
      inbox: 1,
      snapshots: 0,
      dead_letters: 1,
      feeds: 0,
      preemptive_nodes: 1,
      recent_victims: 1,
    });
    expect(noted.bytes.inbox).toBeGreaterThan(0);
  });

  it('performs the other steps when one fails', async () => {
    await db.query('DROP TABLE preemptive_nodes');
    await db.query(
      "INSERT INTO inbox (consumer, event_id, handled_at) VALUES ('old', gen_random_uuid(), now() - interval '8 days')",
    );
    await tidy();
    expect(noted.warned).toHaveLength(1);
    expect(noted.trimmed.inbox).toBe(1);
    expect(noted.bytes.inbox).toBeGreaterThan(0);
  });
});
