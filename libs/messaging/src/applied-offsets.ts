import type { DataSource } from 'typeorm';
import type { Tx } from '#event-store';

/** The progress of a consumer in one Kafka partition: every message below `nextOffset` has had its effects. */
export interface AppliedOffset {
  partition: number;
  nextOffset: bigint;
  /** When messages were last found missing, by the clock of the database; null = never. */
  gapAt: Date | null;
}

/** A range of messages that were applied without a gap: from the first requested one up to `nextOffset`. */
export interface AppliedRange {
  topic: string;
  partition: number;
  from: bigint;
  nextOffset: bigint;
}

/**
 * Records a range, in the transaction of its effects or after it. Records a gap if messages between this range and the
 * one before were not applied.
 *
 * A range below the one before changes nothing: a member that was frozen, and has lost the partition meanwhile, may
 * deliver it late. A recreated topic is detected by comparing offsets with the broker (`startOfReading`).
 */
export async function noteApplied(
  tx: Tx | DataSource,
  consumer: string,
  { topic, partition, from, nextOffset }: AppliedRange,
): Promise<void> {
  await tx.query(
    `INSERT INTO applied_offsets AS known (consumer, topic, partition, next_offset, gap_at)
     VALUES ($1, $2, $3, $5, CASE WHEN $4::bigint > 0 THEN now() END)
     ON CONFLICT (consumer, topic, partition) DO UPDATE SET
       next_offset = greatest(excluded.next_offset, known.next_offset), applied_at = now(),
       gap_at = CASE WHEN $4::bigint > known.next_offset THEN now() ELSE known.gap_at END`,
    [consumer, topic, partition, String(from), String(nextOffset)],
  );
}

/**
 * Records the offset from which a consumer reads a newly assigned partition, unless another process recorded one
 * meanwhile.
 *
 * @param known the recorded value before, undefined if there was none.
 */
export async function noteStart(
  db: DataSource,
  consumer: string,
  place: { topic: string; partition: number },
  known: bigint | undefined,
  { nextOffset, isGap }: { nextOffset: bigint; isGap: boolean },
): Promise<void> {
  await db.query(
    `INSERT INTO applied_offsets AS known (consumer, topic, partition, next_offset, gap_at)
     VALUES ($1, $2, $3, $4, CASE WHEN $6 THEN now() END)
     ON CONFLICT (consumer, topic, partition) DO UPDATE SET
       next_offset = excluded.next_offset, applied_at = now(), gap_at = coalesce(excluded.gap_at, known.gap_at)
     WHERE known.next_offset = $5::bigint`,
    [
      consumer,
      place.topic,
      place.partition,
      String(nextOffset),
      known === undefined ? null : String(known),
      isGap,
    ],
  );
}

/** @param topic by its name in the cluster. */
export async function readApplied(
  db: Tx | DataSource,
  consumer: string,
  topic: string,
): Promise<Map<number, AppliedOffset>> {
  const rows = await db.query<{ partition: number; nextOffset: string; gapAt: Date | null }[]>(
    `SELECT partition, next_offset::text AS "nextOffset", gap_at AS "gapAt"
     FROM applied_offsets WHERE consumer = $1 AND topic = $2`,
    [consumer, topic],
  );
  return new Map(rows.map((row) => [row.partition, { ...row, nextOffset: BigInt(row.nextOffset) }]));
}
