import type { DataSource } from 'typeorm';
import type { Cursor } from '#event-store';
import type { Consumer } from '../consumer.js';
import { advanceCursor, loadCursor } from '../cursor-table.js';
import { ageOfFirstUnhandled, handledUpTo, type UnhandledEvent, unhandledEvents } from '../inbox.js';

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
    const to = await handledUpTo(this.database, this.consumer, this.at, pageSize);
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
  unhandled(after: Cursor, upTo: Cursor, limit: number): Promise<UnhandledEvent[]> {
    return unhandledEvents(this.database, this.consumer, { after, upTo }, limit);
  }

  /** The age of the first unhandled event in seconds; 0: all are handled. It reads from the last recorded place. */
  async ageSeconds(): Promise<number> {
    await this.load();
    return Math.max(0, (await ageOfFirstUnhandled(this.database, this.consumer, this.at)) ?? 0);
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
