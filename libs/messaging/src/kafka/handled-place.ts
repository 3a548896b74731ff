import type { DataSource } from 'typeorm';
import { type Cursor, STORED_SIZE } from '#event-store';
import { type Consumer, unwantedTypes } from '../consumer.js';
import { advanceCursor, loadCursor } from '../cursor-table.js';

/** An event for a consumer that it has not handled. */
export interface UnhandledEvent extends Cursor {
  id: string;
  topic: string;
  time: Date;
  /** The compressed size of its data. */
  bytes: number;
}

/** Events checked in one go. */
const pageSize = 5000;

/**
 * The place up to which a consumer has handled the log, by any bus: the cursor of an in-process bus. Over Kafka the
 * offsets determine what to fetch; this determines what need not be repeated however often it is fetched, and where to
 * continue if consumers read the log themselves again.
 */
export class HandledPlace {
  private place: { transactionId: bigint; position: bigint } = { transactionId: 0n, position: 0n };
  private isLoaded = false;

  constructor(
    private readonly database: DataSource,
    private readonly consumer: Pick<Consumer, 'name' | 'events'> & { topics: readonly string[] },
  ) {}

  async load(): Promise<void> {
    this.take(await loadCursor(this.database, this.consumer.name));
    this.isLoaded = true;
  }

  /** Everything up to this event is handled. Events of others, which are not in the log, are never covered. */
  covers({ transactionId, position }: Cursor): boolean {
    const at = BigInt(transactionId);
    if (at === 0n) return false;
    return (
      at < this.place.transactionId ||
      (at === this.place.transactionId && BigInt(position) <= this.place.position)
    );
  }

  /**
   * Moves over events that the inbox has as handled.
   *
   * @returns whether there may be more to move over.
   */
  async advance(): Promise<boolean> {
    if (!this.isLoaded) await this.load();
    const rows = await this.database.query<(Cursor & { checked: number })[]>(handledUpTo, [
      this.consumer.name,
      this.consumer.topics,
      this.at.transactionId,
      this.at.position,
      pageSize,
      [...unwantedTypes(this.consumer)],
    ]);
    const [to] = rows;
    if (!to) return false;
    if (await advanceCursor(this.database, this.consumer.name, to)) {
      this.take(to);
      return to.checked === pageSize;
    }
    // Another process of the consumer is further.
    await this.load();
    return true;
  }

  /** Unhandled events after one place of the log and up to another, in its order, without their data. */
  async unhandled(after: Cursor, upTo: Cursor, limit: number): Promise<UnhandledEvent[]> {
    return this.database.query(unhandledUpTo, [
      this.consumer.name,
      this.consumer.topics,
      after.transactionId,
      after.position,
      limit,
      [...unwantedTypes(this.consumer)],
      upTo.transactionId,
      upTo.position,
    ]);
  }

  /** The age of the first unhandled event in seconds; 0: all are handled. It reads from the last recorded place. */
  async ageSeconds(): Promise<number> {
    await this.load();
    const rows = await this.database.query<{ age: number }[]>(ageOfFirst, [
      this.consumer.name,
      this.consumer.topics,
      this.at.transactionId,
      this.at.position,
      [...unwantedTypes(this.consumer)],
    ]);
    return Math.max(0, rows[0]?.age ?? 0);
  }

  /** Everything up to here is handled. */
  get at(): Cursor {
    return {
      transactionId: String(this.place.transactionId),
      position: String(this.place.position),
    };
  }

  private take({ transactionId, position }: Cursor): void {
    this.place = { transactionId: BigInt(transactionId), position: BigInt(position) };
  }
}

/** As readPage, it stops below the oldest running transaction; and at the first unhandled event. */
const handledUpTo = `
  WITH page AS MATERIALIZED (
    SELECT transaction_id, position, topic = ANY ($2::text[]) AND type <> ALL ($6::text[]) AS wanted, id
    FROM events
    WHERE (transaction_id, position) > ($3::xid8, $4::bigint)
      AND transaction_id < (SELECT log_settled())
    ORDER BY transaction_id, position
    LIMIT $5
  ), unhandled AS (
    SELECT transaction_id, position
    FROM page
    WHERE wanted
      AND NOT EXISTS (SELECT FROM inbox WHERE consumer = $1 AND event_id = page.id)
    ORDER BY transaction_id, position
    LIMIT 1
  )
  SELECT transaction_id::text AS "transactionId", position::text, (count(*) OVER ())::int AS checked
  FROM page
  WHERE NOT EXISTS (
    SELECT FROM unhandled u WHERE (u.transaction_id, u.position) <= (page.transaction_id, page.position))
  ORDER BY page.transaction_id DESC, page.position DESC
  LIMIT 1`;

const unhandledUpTo = `
  SELECT transaction_id::text AS "transactionId", position::text, id, topic, time, ${STORED_SIZE} AS bytes
  FROM events e
  WHERE (transaction_id, position) > ($3::xid8, $4::bigint) AND (transaction_id, position) <= ($7::xid8, $8::bigint)
    AND transaction_id < (SELECT log_settled())
    AND topic = ANY ($2::text[]) AND type <> ALL ($6::text[])
    AND NOT EXISTS (SELECT FROM inbox WHERE consumer = $1 AND event_id = e.id)
  ORDER BY e.transaction_id, e.position
  LIMIT $5`;

const ageOfFirst = `
  SELECT extract(epoch FROM clock_timestamp() - time)::float8 AS age
  FROM events e
  WHERE (transaction_id, position) > ($3::xid8, $4::bigint)
    AND topic = ANY ($2::text[]) AND type <> ALL ($5::text[])
    AND NOT EXISTS (SELECT FROM inbox WHERE consumer = $1 AND event_id = e.id)
  ORDER BY e.transaction_id, e.position
  LIMIT 1`;
