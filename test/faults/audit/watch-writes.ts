import type { Client } from 'pg';
import { query } from '../../support/query.js';

/** When an event was written, by the clock of the database: the beginning of its transaction, and the moment itself. */
export interface Written {
  from: Date;
  to: Date;
}

/** Has the database note that of each event from now on. */
export async function watchWrites(databaseUrl: string): Promise<void> {
  await query(
    databaseUrl,
    `
    CREATE TABLE test_writes (event_id uuid PRIMARY KEY, "from" timestamptz(3) NOT NULL, "to" timestamptz(3) NOT NULL);
    CREATE FUNCTION test_note_write() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        INSERT INTO test_writes VALUES (NEW.id, now(), clock_timestamp());
        RETURN NULL;
      END $$;
    CREATE TRIGGER test_note_write AFTER INSERT ON events FOR EACH ROW EXECUTE FUNCTION test_note_write()`,
  );
}

/** By the id of the event; nothing where writes were not watched. */
export async function readWrites(client: Client): Promise<Map<string, Written>> {
  const there = await client.query<{ there: boolean }>(
    "SELECT to_regclass('test_writes') IS NOT NULL AS there",
  );
  if (!there.rows[0]?.there) return new Map();
  const { rows } = await client.query<Written & { id: string }>(
    'SELECT event_id AS id, "from", "to" FROM test_writes',
  );
  return new Map(rows.map(({ id, from, to }) => [id, { from, to }]));
}
