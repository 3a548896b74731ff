import type { MigrationInterface, QueryRunner } from 'typeorm';

const tables = ['queues', 'quota_changes', 'schedules'];

/**
 * Room in each page for a second version of all its rows: a configuration may change every quota at once, in columns that no index has. A new
 * version in the same page needs no entry in the index, which halves the time and the write-ahead log of such an update. Pages that exist keep
 * their rows, and get the room as those move.
 */
export class RoomForChangedQuotas1763745810000 implements MigrationInterface {
  name = 'RoomForChangedQuotas1763745810000';

  async up(runner: QueryRunner): Promise<void> {
    for (const table of tables) await runner.query(`ALTER TABLE ${table} SET (fillfactor = 45)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const table of tables) await runner.query(`ALTER TABLE ${table} RESET (fillfactor)`);
  }
}
