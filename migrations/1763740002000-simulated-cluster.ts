import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The simulated cluster. Ids and queue paths compare by bytes (COLLATE "C"), whatever the locale of the database is: a
 * queue and all below it are then one key and one range of the index (`libs/clusters/src/tables/subtree.ts`).
 */
export class SimulatedCluster1763740002000 implements MigrationInterface {
  name = 'SimulatedCluster1763740002000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE simulated_nodes (
        partition text COLLATE "C" NOT NULL,
        id text COLLATE "C" NOT NULL,
        capacity jsonb NOT NULL DEFAULT '{}',
        labels jsonb NOT NULL DEFAULT '{}',
        PRIMARY KEY (partition, id)
      )`);
    await runner.query(`
      CREATE TABLE simulated_applications (
        partition text COLLATE "C" NOT NULL,
        id text COLLATE "C" NOT NULL,
        queue text COLLATE "C" NOT NULL,
        "user" text,
        priority integer NOT NULL DEFAULT 0,
        submitted_at timestamptz,
        pending jsonb NOT NULL DEFAULT '[]',
        properties jsonb NOT NULL DEFAULT '{}',
        PRIMARY KEY (partition, id)
      )`);
    // Also what the foreign key of the allocations points at: an application and its allocations are in one queue.
    await runner.query(`
      CREATE UNIQUE INDEX simulated_applications_by_queue ON simulated_applications (partition, queue, id)`);
    await runner.query(`
      CREATE TABLE simulated_allocations (
        partition text COLLATE "C" NOT NULL,
        id text COLLATE "C" NOT NULL,
        uid uuid NOT NULL DEFAULT gen_random_uuid(),
        application text COLLATE "C" NOT NULL,
        queue text COLLATE "C" NOT NULL,
        node text COLLATE "C",
        resources jsonb NOT NULL,
        priority integer,
        role text NOT NULL DEFAULT 'task' CHECK (role IN ('task', 'originator', 'daemon', 'placeholder')),
        allow_preemption boolean NOT NULL DEFAULT true,
        started_at timestamptz NOT NULL,
        state text NOT NULL DEFAULT 'running' CHECK (state IN ('running', 'releasing', 'preempting')),
        eviction_id text,
        -- From this moment on the allocation is gone, whether its row is still there or not.
        gone_at timestamptz,
        refusals integer NOT NULL DEFAULT 0,
        PRIMARY KEY (partition, id),
        FOREIGN KEY (partition, queue, application)
          REFERENCES simulated_applications (partition, queue, id) ON UPDATE CASCADE ON DELETE CASCADE
      )`);
    await runner.query(`
      CREATE INDEX simulated_allocations_by_queue ON simulated_allocations (partition, queue, application)`);
    await runner.query(`
      CREATE INDEX simulated_allocations_leaving ON simulated_allocations (gone_at) WHERE gone_at IS NOT NULL`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE simulated_allocations, simulated_applications, simulated_nodes');
  }
}
