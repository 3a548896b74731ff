import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Each run that ends asks for the timers below it that waited for it: hardly ever any, among very many that did not. */
export class WaitingTimers1763740009000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      "CREATE INDEX timers_waiting ON timers (kind, partition, name) WHERE state = 'waiting'",
    );
    // Metrics are counted by the consumer of the read model from now on.
    await runner.query("DELETE FROM subscriptions WHERE name = 'metrics'");
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX timers_waiting');
  }
}
