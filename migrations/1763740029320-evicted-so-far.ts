import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Evictions are counted in the row of their run while it goes on: those of runs that go on now were not. */
export class EvictedSoFar1763740029320 implements MigrationInterface {
  name = 'EvictedSoFar1763740029320';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      UPDATE read_enforcements run
      SET evicted = (SELECT count(*) FROM read_victims v WHERE v.enforcement = run.enforcement AND v.state = 'evicted')
      WHERE ended_at IS NULL AND victims > 0`);
  }

  async down(): Promise<void> {}
}
