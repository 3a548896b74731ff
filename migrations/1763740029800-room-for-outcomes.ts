import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Each planned victim is written twice more, when it is ordered and when it has an outcome. With room for that on its page, none of the three
 * indexes changes with it.
 */
export class RoomForOutcomes1763740029800 implements MigrationInterface {
  name = 'RoomForOutcomes1763740029800';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE read_victims SET (fillfactor = 60)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE read_victims RESET (fillfactor)');
  }
}
