import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Reports of platform services about their clusters. `sequence` is that of the report a row was last written by; rows of what
 * is gone stay for a while, so that a report that comes late finds them. Ids and queue paths compare by bytes
 * (COLLATE "C"): a queue and all below it are one key and one range of the index (`libs/clusters/src/tables/subtree.ts`).
 */
export class Inventory1763740007000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE inventory_partitions (
        partition text COLLATE "C" PRIMARY KEY,
        -- By the clock of the sender, but never in the future.
        heard_at timestamptz(3) NOT NULL,
        -- Of the last listing that came whole: it holds all that was reported up to there.
        listed_sequence bigint NOT NULL DEFAULT 0,
        listed_at timestamptz(3)
      )`);
    await runner.query(`
      CREATE TABLE inventory_pages (
        partition text COLLATE "C" NOT NULL,
        sequence bigint NOT NULL,
        page integer NOT NULL,
        last boolean NOT NULL,
        PRIMARY KEY (partition, sequence, page)
      )`);
    await runner.query(`
      CREATE TABLE inventory_nodes (
        partition text COLLATE "C" NOT NULL,
        id text COLLATE "C" NOT NULL,
        sequence bigint NOT NULL,
        gone boolean NOT NULL,
        changed_at timestamptz(3) NOT NULL DEFAULT now(),
        capacity jsonb,
        labels jsonb,
        PRIMARY KEY (partition, id)
      )`);
    await runner.query(`
      CREATE TABLE inventory_applications (
        partition text COLLATE "C" NOT NULL,
        id text COLLATE "C" NOT NULL,
        sequence bigint NOT NULL,
        gone boolean NOT NULL,
        changed_at timestamptz(3) NOT NULL DEFAULT now(),
        queue text COLLATE "C",
        "user" text,
        priority integer,
        submitted_at timestamptz,
        pending jsonb,
        properties jsonb,
        PRIMARY KEY (partition, id)
      )`);
    await runner.query(`
      CREATE INDEX inventory_applications_by_queue ON inventory_applications (partition, queue, id) WHERE NOT gone`);
    await runner.query(`
      CREATE TABLE inventory_allocations (
        partition text COLLATE "C" NOT NULL,
        id text COLLATE "C" NOT NULL,
        uid text COLLATE "C" NOT NULL,
        sequence bigint NOT NULL,
        gone boolean NOT NULL,
        changed_at timestamptz(3) NOT NULL DEFAULT now(),
        application text COLLATE "C",
        queue text COLLATE "C",
        node text COLLATE "C",
        resources jsonb,
        priority integer,
        role text,
        allow_preemption boolean,
        started_at timestamptz,
        state text,
        -- The kill that the platform has accepted: from there on it is leaving, whatever is reported.
        eviction_id text,
        PRIMARY KEY (partition, id, uid),
        CHECK (gone OR (application IS NOT NULL AND queue IS NOT NULL AND resources IS NOT NULL
                        AND started_at IS NOT NULL AND state IS NOT NULL))
      )`);
    await runner.query(`
      CREATE INDEX inventory_allocations_by_queue ON inventory_allocations (partition, queue, id) WHERE NOT gone`);
    for (const table of ['inventory_nodes', 'inventory_applications', 'inventory_allocations']) {
      await runner.query(`CREATE INDEX ${table}_gone ON ${table} (changed_at) WHERE gone`);
    }
    await runner.query(`
      CREATE TABLE inventory_usage (
        partition text COLLATE "C" NOT NULL,
        queue text COLLATE "C" NOT NULL,
        type text NOT NULL,
        usage numeric NOT NULL,
        in_flight numeric NOT NULL,
        PRIMARY KEY (partition, queue, type)
      )`);
    await this.keepUsage(runner);
    await runner.query(`
      CREATE TABLE inventory_evictions (
        eviction_id text PRIMARY KEY,
        partition text COLLATE "C" NOT NULL,
        allocation text COLLATE "C" NOT NULL,
        uid text COLLATE "C" NOT NULL,
        attempt integer NOT NULL,
        requested_at timestamptz(3) NOT NULL,
        deadline_at timestamptz(3) NOT NULL,
        answer jsonb
      )`);
    await runner.query('CREATE INDEX inventory_evictions_requested_at ON inventory_evictions (requested_at)');
  }

  /**
   * The sums of each queue follow its allocations in the same statement, from every writer: an executor that adds up a
   * hundred thousand allocations before each kill would do nothing else. Writers of a partition take turns.
   */
  private async keepUsage(runner: QueryRunner): Promise<void> {
    const rows = (table: string, sign: number) =>
      `SELECT partition, queue, resources, state <> 'running' AS leaving, ${sign} AS sign FROM ${table} WHERE NOT gone`;
    const add = (changes: string) => `
      INSERT INTO inventory_usage AS known (partition, queue, type, usage, in_flight)
      SELECT partition, queue, key, sum(sign * value::numeric),
             coalesce(sum(sign * value::numeric) FILTER (WHERE leaving), 0)
      FROM (SELECT partition, queue, resources, leaving, sum(sign) AS sign FROM (${changes}) AS change
            GROUP BY partition, queue, resources, leaving HAVING sum(sign) <> 0) AS changed
      CROSS JOIN LATERAL jsonb_each_text(resources)
      GROUP BY partition, queue, key
      ON CONFLICT (partition, queue, type) DO UPDATE
        SET usage = known.usage + excluded.usage, in_flight = known.in_flight + excluded.in_flight`;
    await runner.query(`
      CREATE FUNCTION inventory_count_usage() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        IF TG_OP = 'INSERT' THEN ${add(rows('new_rows', 1))};
        ELSIF TG_OP = 'DELETE' THEN ${add(rows('old_rows', -1))};
        ELSE ${add(`${rows('new_rows', 1)} UNION ALL ${rows('old_rows', -1)}`)};
        END IF;
        RETURN NULL;
      END $$`);
    for (const [operation, tables] of [
      ['INSERT', 'NEW TABLE AS new_rows'],
      ['UPDATE', 'OLD TABLE AS old_rows NEW TABLE AS new_rows'],
      ['DELETE', 'OLD TABLE AS old_rows'],
    ] as const) {
      await runner.query(`
        CREATE TRIGGER inventory_count_${operation.toLowerCase()} AFTER ${operation} ON inventory_allocations
        REFERENCING ${tables} FOR EACH STATEMENT EXECUTE FUNCTION inventory_count_usage()`);
    }
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const table of [
      'allocations',
      'applications',
      'nodes',
      'pages',
      'partitions',
      'usage',
      'evictions',
    ]) {
      await runner.query(`DROP TABLE inventory_${table}`);
    }
    await runner.query('DROP FUNCTION inventory_count_usage()');
  }
}
