import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A run is `cancelled` only if an operator cancelled it. A clock that ended for another reason is `ended`. */
export class EndedClocks1763740029960 implements MigrationInterface {
  name = 'EndedClocks1763740029960';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      "UPDATE read_enforcements SET state = 'ended' WHERE state = 'cancelled' AND outcome IS DISTINCT FROM 'operator'",
    );
  }

  async down(): Promise<void> {}
}
