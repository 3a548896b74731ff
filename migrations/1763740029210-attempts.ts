import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Events that a consumer has trouble with. `tries`: how often one was tried alone and failed; `processes`: how many processes began it
 * one after the other and did not finish it, the last of them `process`. A row goes when its event is finished, so there are few.
 */
export class Attempts1763740029210 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE attempts (
        consumer text NOT NULL,
        event_id uuid NOT NULL,
        process uuid NOT NULL,
        processes integer NOT NULL DEFAULT 0,
        tries integer NOT NULL DEFAULT 0,
        noted_at timestamptz NOT NULL DEFAULT now(),
        PRIMARY KEY (consumer, event_id)
      ) WITH (fillfactor = 70, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_scale_factor = 0)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE attempts');
  }
}
