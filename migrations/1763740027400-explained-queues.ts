import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Indexes for `explain`: the runs of a queue and those above, the rounds with victims in it, its notices. */
export class ExplainedQueues1763740027400 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      'CREATE INDEX read_enforcements_queue ON read_enforcements (partition, queue, started_at DESC)',
    );
    await runner.query(
      `CREATE INDEX read_enforcements_rounds ON read_enforcements (partition, started_at DESC)
       WHERE policy <> 'quota-decrease'`,
    );
    await runner.query('CREATE INDEX read_victims_queue ON read_victims (enforcement, queue)');
    await runner.query('CREATE INDEX read_notices_queue ON read_notices (partition, queue, id)');
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const index of [
      'read_notices_queue',
      'read_victims_queue',
      'read_enforcements_rounds',
      'read_enforcements_queue',
    ]) {
      await runner.query(`DROP INDEX ${index}`);
    }
  }
}
