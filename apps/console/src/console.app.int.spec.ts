import { expect, it } from '@jest/globals';
import { openDatabase } from '#event-store';
import { readSettings } from '#platform';
import { retentionSettings } from '#runtime';
import { createMigratedDatabase } from '../../../test/support/database.js';
import { consoleTrims } from './console.app.js';

it('the console trims what is over and due, in steps, and nothing else', async () => {
  const server = await createMigratedDatabase();
  const db = await openDatabase(server.url);
  const left = async (table: string, column: string): Promise<unknown[]> =>
    (await db.query(`SELECT DISTINCT ${column} AS it FROM ${table} ORDER BY 1`)).map(
      ({ it }: { it: unknown }) => it,
    );
  try {
    await db.query(
      `INSERT INTO read_runs (enforcement, partition, queue, state, ended_at, updated_at)
       SELECT 'over-' || n, 'p', 'root.a', 'ended', now() - interval '91 days', now() FROM generate_series(1, 250) AS n
       UNION ALL VALUES ('young', 'p', 'root.a', 'ended', now() - interval '89 days', now()),
                        ('open', 'p', 'root.a', 'executing', NULL, now() - interval '400 days')`,
    );
    await db.query(
      `INSERT INTO read_victims (enforcement, allocation, partition, queue, application, rank, resources, reason, state, updated_at)
       SELECT run, 'a-' || n, 'p', 'root.a', 'app', n, '{}', 'why', 'evicted', now() - interval '400 days'
       FROM unnest(ARRAY['over-1', 'young', 'open']) AS run, generate_series(1, 6000) AS n`,
    );
    await db.query(
      `INSERT INTO read_notices (partition, queue, code, message, at)
       SELECT 'p', 'root.a', code, '', now() - age FROM (VALUES ('old', interval '91 days'), ('young', interval '89 days')) AS n (code, age)`,
    );
    await db.query(
      `INSERT INTO replays (id, "into", request, state, started_by, host, attempt, total, updated_at)
       SELECT id, 'digest', '{}', state, 'me', 'here', 1, 0, now() - age
       FROM (VALUES ('old', 'done', interval '91 days'), ('young', 'done', interval '89 days'),
                    ('runs', 'running', interval '400 days')) AS n (id, state, age)`,
    );
    await db.query(
      `INSERT INTO webhook_messages (id, type, body, state, created_at)
       SELECT id, 'run.failed', '{}', 'delivered', now() - age FROM (VALUES ('old', interval '31 days'), ('young', interval '29 days')) AS m (id, age)`,
    );
    await db.query(
      `INSERT INTO owner_answers (partition, allocation, answer_id, data, answered_at)
       SELECT 'p', 'a-1', id, '{}', now() - age FROM (VALUES ('old', interval '91 days'), ('young', interval '89 days')) AS a (id, age)`,
    );
    const trimmed: Record<string, number> = {};
    for (const { table, step } of consoleTrims(readSettings(retentionSettings, {}))) {
      for (let more = true; more; ) {
        const done = await step(db);
        trimmed[table] = (trimmed[table] ?? 0) + done.rows;
        more = done.more;
      }
    }
    expect(await left('read_runs', 'enforcement')).toEqual(['open', 'young']);
    expect(await left('read_victims', 'enforcement')).toEqual(['open', 'young']);
    expect(await left('read_notices', 'code')).toEqual(['young']);
    expect(await left('replays', 'id')).toEqual(['runs', 'young']);
    expect(await left('webhook_messages', 'id')).toEqual(['young']);
    expect(await left('owner_answers', 'answer_id')).toEqual(['young']);
    expect(trimmed).toEqual({
      ...{ read_runs: 6250, read_notices: 1, replays: 1, webhook_messages: 1 },
      owner_answers: 1,
    });
  } finally {
    await db.destroy();
    await server.drop();
  }
});
