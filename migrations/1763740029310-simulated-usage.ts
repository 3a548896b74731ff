import type { MigrationInterface, QueryRunner } from 'typeorm';

const rows = (table: string, sign: 1 | -1) =>
  `SELECT partition, queue, resources, state <> 'running' AS leaving, ${sign} AS sign FROM ${table}`;

/** In one order, so that two statements that change several queues never wait for each other. */
const add = (changes: string) => `
  INSERT INTO simulated_usage AS known (partition, queue, type, usage, in_flight)
  SELECT partition, queue, key, sum(sign * value::numeric),
         coalesce(sum(sign * value::numeric) FILTER (WHERE leaving), 0)
  FROM (SELECT partition, queue, resources, leaving, sum(sign) AS sign FROM (${changes}) AS change
        GROUP BY partition, queue, resources, leaving HAVING sum(sign) <> 0) AS changed
  CROSS JOIN LATERAL jsonb_each_text(resources)
  GROUP BY partition, queue, key
  ORDER BY partition, queue, key
  ON CONFLICT (partition, queue, type) DO UPDATE
    SET usage = known.usage + excluded.usage, in_flight = known.in_flight + excluded.in_flight`;

/**
 * The usage of the rows of each queue, kept by the statement that changes them, from every writer: to add up a million allocations
 * before each kill is all that a run would do. Rows that are gone and not swept yet are in the sums; `USAGE_QUERY` takes them away.
 */
export class SimulatedUsage1763740029310 implements MigrationInterface {
  name = 'SimulatedUsage1763740029310';

  async up(runner: QueryRunner): Promise<void> {
    // Nothing changes between the sums and the triggers.
    await runner.query('LOCK TABLE simulated_allocations IN SHARE ROW EXCLUSIVE MODE');
    await runner.query(`
      CREATE TABLE simulated_usage (
        partition text COLLATE "C" NOT NULL,
        queue text COLLATE "C" NOT NULL,
        type text NOT NULL,
        usage numeric NOT NULL,
        in_flight numeric NOT NULL,
        PRIMARY KEY (partition, queue, type)
      ) WITH (fillfactor = 50)`);
    await runner.query(add(rows('simulated_allocations', 1)));
    await runner.query(`
      CREATE FUNCTION simulated_count_usage() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        IF TG_OP = 'INSERT' THEN ${add(rows('new_rows', 1))};
        ELSIF TG_OP = 'DELETE' THEN ${add(rows('old_rows', -1))};
        ELSIF TG_OP = 'TRUNCATE' THEN DELETE FROM simulated_usage;
        ELSE ${add(`${rows('new_rows', 1)} UNION ALL ${rows('old_rows', -1)}`)};
        END IF;
        RETURN NULL;
      END $$`);
    for (const [operation, tables] of [
      ['INSERT', 'REFERENCING NEW TABLE AS new_rows'],
      ['UPDATE', 'REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows'],
      ['DELETE', 'REFERENCING OLD TABLE AS old_rows'],
      ['TRUNCATE', ''],
    ] as const) {
      await runner.query(`
        CREATE TRIGGER simulated_count_${operation.toLowerCase()} AFTER ${operation} ON simulated_allocations
        ${tables} FOR EACH STATEMENT EXECUTE FUNCTION simulated_count_usage()`);
    }
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const operation of ['insert', 'update', 'delete', 'truncate']) {
      await runner.query(`DROP TRIGGER simulated_count_${operation} ON simulated_allocations`);
    }
    await runner.query('DROP FUNCTION simulated_count_usage()');
    await runner.query('DROP TABLE simulated_usage');
  }
}
