import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Settings of queues that operators set at runtime: each takes the place of the setting of the same queue in the configuration. */
export class SettingOverrides1763740030800 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE setting_overrides (
        partition text NOT NULL,
        queue text NOT NULL,
        setting text NOT NULL,
        value jsonb NOT NULL,
        set_by text NOT NULL,
        reason text,
        set_at timestamptz NOT NULL,
        PRIMARY KEY (partition, queue, setting)
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE setting_overrides');
  }
}
