import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Whether the simulated cluster carried a kill out is asked for by the id of the kill. */
export class EvictionIds1763740027020 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      'CREATE INDEX simulated_evictions_by_eviction_id ON simulated_evictions (eviction_id)',
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX simulated_evictions_by_eviction_id');
  }
}
