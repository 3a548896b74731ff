import type { Tx } from '@curtail/event-store';
import type { DataSource } from 'typeorm';

/** How far a consumer has applied one Kafka partition: every message below `nextOffset` has had its effects. */
export interface AppliedOffset {
  partition: number;
  nextOffset: bigint;
  /** When messages were last found missing, by the clock of the database; null = never. */
  gapAt: Date | null;
}

/** Messages that were applied one after the other, without a gap: from the first one that was asked for, up to `nextOffset`. */
export interface AppliedRange {
  topic: string;
  partition: number;
  from: bigint;
  nextOffset: bigint;
}

/**
 * Notes a range, in the transaction of its effects or after it. A gap is noted where messages between this range and the one
 * before were not applied.
 *
 * A range below the one before changes nothing: a member that was frozen, and has lost the partition meanwhile, may bring it late.
 * That a topic was created again is found by comparing places with the broker (`startOfReading`).
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
 * Notes from where a consumer reads a partition that it was just given, unless another process noted something meanwhile.
 *
 * @param known what stood there before, undefined if nothing did.
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
  const rows: { partition: number; nextOffset: string; gapAt: Date | null }[] = await db.query(
    `SELECT partition, next_offset::text AS "nextOffset", gap_at AS "gapAt"
     FROM applied_offsets WHERE consumer = $1 AND topic = $2`,
    [consumer, topic],
  );
  return new Map(rows.map((row) => [row.partition, { ...row, nextOffset: BigInt(row.nextOffset) }]));
}
