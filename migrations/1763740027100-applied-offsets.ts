import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * How far consumers that ask for it have applied each partition of their Kafka topics: every message below `next_offset` has had
 * its effects. The offsets in Kafka say less, since they are committed later.
 */
export class AppliedOffsets1763740027100 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE applied_offsets (
        consumer text COLLATE "C" NOT NULL,
        topic text COLLATE "C" NOT NULL,
        partition integer NOT NULL,
        next_offset bigint NOT NULL,
        applied_at timestamptz(3) NOT NULL DEFAULT now(),
        -- When messages were found missing: the topic was made again, or messages were deleted or skipped before they were read.
        gap_at timestamptz(3),
        PRIMARY KEY (consumer, topic, partition)
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE applied_offsets');
  }
}
