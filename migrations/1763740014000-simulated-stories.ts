import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The simulated cluster tells owners before it evicts, and starts what waits when there is room. */
export class SimulatedStories1763740014000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE simulated_announcements (
        id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        partition text COLLATE "C" NOT NULL,
        allocation text COLLATE "C" NOT NULL,
        uid uuid NOT NULL,
        queue text COLLATE "C" NOT NULL,
        kill_at timestamptz(3) NOT NULL,
        reason text NOT NULL,
        at timestamptz(3) NOT NULL
      )`);
    await runner.query(`
      CREATE INDEX simulated_announcements_by_allocation ON simulated_announcements (partition, allocation)`);
    await runner.query(`
      CREATE INDEX simulated_applications_starting ON simulated_applications (partition)
      WHERE properties ? 'startsWhenRoom' AND pending <> '[]'`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX simulated_applications_starting');
    await runner.query('DROP TABLE simulated_announcements');
  }
}
