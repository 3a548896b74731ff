import { query } from './query.js';

/**
 * Part of the tables that a build from before 0.1.0 made, under the names of that time, with a clock, an open run and what the database records
 * about its own migrations.
 */
const tables = `
  CREATE TABLE migrations (id serial PRIMARY KEY, timestamp bigint NOT NULL, name varchar NOT NULL);
  INSERT INTO migrations (timestamp, name) VALUES
    (1763740001000, 'EventStore1763740001000'), (1763740003000, 'Schedules1763740003000'),
    (1763740004000, 'ReadModel1763740004000'), (1763745860000, 'BlockedQueues1763745860000');
  CREATE TABLE events (
    position bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, transaction_id xid8 NOT NULL DEFAULT pg_current_xact_id(),
    stream text NOT NULL, version integer NOT NULL, id uuid NOT NULL, type text NOT NULL, data json NOT NULL);
  INSERT INTO events (stream, version, id, type, data) VALUES
    ('execution-e1', 1, gen_random_uuid(), 'io.curtail.execution.opened.v1', '{"enforcement":"e1"}');
  CREATE TABLE schedules (partition text, queue text, version integer, state json, PRIMARY KEY (partition, queue));
  INSERT INTO schedules VALUES ('default', 'root.research', 1, '{"pending":{"enforcement":"e1"}}');
  CREATE TABLE executions (enforcement text PRIMARY KEY, partition text, queue text);
  INSERT INTO executions VALUES ('e1', 'default', 'root.research');
  CREATE TABLE read_enforcements (enforcement text PRIMARY KEY, state text);`;

/** Makes the database one from before 0.1.0. */
export async function makeOldDatabase(url: string): Promise<void> {
  await query(url, tables);
}

/** Everything in the database that a start could change: names and definitions of its tables, and all rows. */
export async function contentsOf(url: string): Promise<unknown[]> {
  const names = await query(
    url,
    "SELECT relname AS name, relkind AS kind FROM pg_class WHERE relnamespace = 'public'::regnamespace ORDER BY relname",
  );
  const columns = await query(
    url,
    `SELECT table_name, column_name, data_type, column_default FROM information_schema.columns
     WHERE table_schema = 'public' ORDER BY table_name, ordinal_position`,
  );
  const rows = await Promise.all(
    names
      .filter(({ kind }) => kind === 'r')
      .map(({ name }) => query(url, `SELECT to_jsonb(t) AS row FROM ${name} t ORDER BY 1`)),
  );
  return [names, columns, rows];
}
