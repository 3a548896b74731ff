import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Answers of owners to coming evictions, by the owner's own ids; `enforcement` null: not for one run. */
export class OwnerAnswers1763745580000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE owner_answers (
        partition text NOT NULL,
        allocation text NOT NULL,
        answer_id text NOT NULL,
        enforcement text,
        data jsonb NOT NULL,
        answered_at timestamptz NOT NULL,
        PRIMARY KEY (partition, allocation, answer_id)
      )`);
    await runner.query(
      'CREATE INDEX owner_answers_of_run ON owner_answers (enforcement) WHERE enforcement IS NOT NULL',
    );
    await runner.query('CREATE INDEX owner_answers_oldest ON owner_answers (answered_at)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE owner_answers');
  }
}
