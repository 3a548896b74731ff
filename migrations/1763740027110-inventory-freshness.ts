import type { MigrationInterface, QueryRunner } from 'typeorm';

/** State of a sender by which its reports are accepted or not, and the listing that waits for a confirmation. */
export class InventoryFreshness1763740027110 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE inventory_partitions
        -- The CloudEvents source of the newest report.
        ADD COLUMN source text,
        -- Time of the last whole listing, by the sender's clock.
        ADD COLUMN listing_said_at timestamptz(3),
        -- The greatest sequence that was taken, and its time, by the sender's clock.
        ADD COLUMN newest_sequence bigint NOT NULL DEFAULT 0,
        ADD COLUMN newest_at timestamptz(3),
        -- The greatest sequence that a confirmation has named.
        ADD COLUMN confirmed_sequence bigint NOT NULL DEFAULT 0,
        ADD COLUMN confirmed_at timestamptz(3),
        -- Reports whose sequence went back: since when (clock of the database), time of the last one, how many.
        ADD COLUMN rejected_since timestamptz(3),
        ADD COLUMN rejected_at timestamptz(3),
        ADD COLUMN rejected_sequence bigint,
        ADD COLUMN rejected_source text,
        ADD COLUMN rejected_count bigint NOT NULL DEFAULT 0,
        -- A whole listing that is not applied: it would drop so many of so many running allocations.
        ADD COLUMN held_sequence bigint,
        ADD COLUMN held_since timestamptz(3),
        ADD COLUMN held_said_at timestamptz(3),
        ADD COLUMN held_drops integer,
        ADD COLUMN held_of integer,
        -- Unfinished listings that were given up.
        ADD COLUMN dropped_since timestamptz(3),
        ADD COLUMN dropped_sequence bigint,
        ADD COLUMN dropped_count bigint NOT NULL DEFAULT 0`);
    await runner.query(`
      CREATE TABLE inventory_listings (
        partition text COLLATE "C" NOT NULL,
        sequence bigint NOT NULL,
        -- Both of when its first page came.
        began_at timestamptz(3) NOT NULL DEFAULT now(),
        running integer NOT NULL,
        -- The earliest of its pages, by the sender's clock.
        said_at timestamptz(3) NOT NULL,
        PRIMARY KEY (partition, sequence)
      )`);
    await runner.query(`
      INSERT INTO inventory_listings (partition, sequence, running, said_at)
      SELECT p.partition, p.sequence, (
        SELECT count(*) FROM inventory_allocations a
        WHERE a.partition = p.partition AND NOT a.gone AND a.state = 'running'), now()
      FROM (SELECT DISTINCT partition, sequence FROM inventory_pages) p`);
    await runner.query(`
      UPDATE inventory_partitions p SET newest_at = p.heard_at, listing_said_at = p.listed_at, newest_sequence = greatest(
        p.listed_sequence,
        (SELECT max(sequence) FROM inventory_allocations a WHERE a.partition = p.partition),
        (SELECT max(sequence) FROM inventory_applications a WHERE a.partition = p.partition),
        (SELECT max(sequence) FROM inventory_nodes n WHERE n.partition = p.partition))`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE inventory_listings');
    await runner.query(`
      ALTER TABLE inventory_partitions
        DROP COLUMN source, DROP COLUMN listing_said_at, DROP COLUMN held_said_at, DROP COLUMN newest_sequence, DROP COLUMN newest_at, DROP COLUMN confirmed_sequence,
        DROP COLUMN confirmed_at, DROP COLUMN rejected_since, DROP COLUMN rejected_at, DROP COLUMN rejected_sequence,
        DROP COLUMN rejected_source, DROP COLUMN rejected_count, DROP COLUMN held_sequence, DROP COLUMN held_since,
        DROP COLUMN held_drops, DROP COLUMN held_of, DROP COLUMN dropped_since, DROP COLUMN dropped_sequence,
        DROP COLUMN dropped_count`);
  }
}
