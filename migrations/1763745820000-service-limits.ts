import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Whether the settings of each running planner and executor limit it to observe (CURTAIL_MODE=observe): the console shows the mode that counts. */
export class ServiceLimits1763745820000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE service_limits (
        process text NOT NULL,
        service text NOT NULL,
        observes_only boolean NOT NULL,
        valid_until timestamptz NOT NULL,
        PRIMARY KEY (process, service)
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE service_limits');
  }
}
