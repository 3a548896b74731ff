import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Which runs hold a lock, in one place: of a queue, of the rounds of a partition, or of their own. Victims count as leaving
 * while their run holds one; what a run planned that lost its lock hides nothing from the run that follows it.
 */
export class RunLocks1763740027000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      'CREATE INDEX schedules_by_run ON schedules (running_enforcement) WHERE running_enforcement IS NOT NULL',
    );
    await runner.query(`
      CREATE VIEW leaving_victims AS
      SELECT v.enforcement, v.partition, v.allocation, v.uid FROM planned_victims v
      WHERE EXISTS (SELECT FROM schedules s WHERE s.running_enforcement = v.enforcement)
         OR EXISTS (SELECT FROM rounds r WHERE r.enforcement = v.enforcement AND r.state = 'executing')
         OR EXISTS (SELECT FROM executions e WHERE e.enforcement = v.enforcement AND e.own_lock)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP VIEW leaving_victims');
    await runner.query('DROP INDEX schedules_by_run');
  }
}
