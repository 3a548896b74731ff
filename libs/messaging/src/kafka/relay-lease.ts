import { randomUUID } from 'node:crypto';
import type { DataSource } from 'typeorm';
import { CurtailError } from '#contracts';
import { beginning, type Cursor, isLeaseOver, leaseUntil } from '#event-store';

/** The published place of the log there; undefined: nothing was published yet. */
export async function publishedUpTo(database: DataSource, destination: string): Promise<Cursor | undefined> {
  const rows = await database.query<Cursor[]>(
    'SELECT transaction_id::text AS "transactionId", position::text FROM relays WHERE destination = $1',
    [destination],
  );
  return rows[0];
}

/** The number of events of the log that are not published there yet, counted up to 100,000. */
export async function countUnpublished(database: DataSource, destination: string): Promise<number> {
  const { transactionId, position } = (await publishedUpTo(database, destination)) ?? beginning;
  const rows = await database.query<{ behind: number }[]>(unpublishedAfter('$1::xid8', '$2::bigint'), [
    transactionId,
    position,
  ]);
  return rows[0]!.behind;
}

const unpublishedAfter = (transactionId: string, position: string) => `
  SELECT count(*)::int AS behind FROM (
    SELECT 1 FROM events WHERE (events.transaction_id, events.position) > (${transactionId}, ${position}) LIMIT 100000) waiting`;

/** Another process leads by now, or will soon: anything published meanwhile would only repeat events. */
export class RelayLeaseLost extends CurtailError {
  readonly code = 'relay-lease-lost';
}

/** The interval at which the published place is recorded. After a crash the events of this interval are published again, and the inboxes recognize them. */
const recordEveryMs = 250;

/**
 * The right to publish, and the published place of the log: one row per destination. A lease instead of a lock of the
 * session, because a frozen process keeps its connection, and with it its locks. The clock is that of the database.
 *
 * The leader keeps the place in memory and records it in the row a few times a second, because a commit for each page would cost as
 * much as the page. The next leader begins at the recorded place, and repeats what its predecessor has published after it. A
 * process that has lost the lease can still send the one page that it had read. Each leader publishes everything after the
 * recorded place in the order of the log, so consumers may receive repetitions, but never a later event before an earlier one.
 */
export class RelayLease {
  /** Of this candidate. */
  readonly id = randomUUID();
  /** The published place. */
  private cursor: Cursor | undefined;
  /** The recorded place. */
  private recorded: Cursor | undefined;
  private until = 0;
  private timer: NodeJS.Timeout | undefined;
  private recording: Promise<void> | undefined;
  private failure: Error | undefined;

  constructor(
    private readonly database: DataSource,
    private readonly options: { destination: string; name: string; leaseMs: number },
  ) {}

  /** The next place to read; undefined while another process leads. */
  get place(): Cursor | undefined {
    return this.cursor;
  }

  /** The time until the lease of another process is over, in milliseconds; 0: none has one. */
  async freeInMs(): Promise<number> {
    const held = await this.database.query<{ ms: number }[]>(
      `SELECT ceil(extract(epoch FROM lease_until - now()) * 1000)::int AS ms FROM relays
       WHERE destination = $1 AND leader <> $2 AND NOT ${isLeaseOver('lease_until')}`,
      [this.options.destination, this.id],
    );
    return held[0]?.ms ?? 0;
  }

  /** @returns false if another process was faster. */
  async take(): Promise<boolean> {
    const { destination, name, leaseMs } = this.options;
    const asked = performance.now();
    const rows = await this.database.query<Cursor[]>(
      `INSERT INTO relays (destination, transaction_id, position, leader, leader_name, lease_until)
       VALUES ($1, $2::xid8, $3, $4, $5, ${leaseUntil('$6')})
       ON CONFLICT (destination) DO UPDATE
         SET leader = excluded.leader, leader_name = excluded.leader_name, lease_until = excluded.lease_until
         WHERE relays.leader = excluded.leader OR ${isLeaseOver('relays.lease_until')}
       RETURNING transaction_id::text AS "transactionId", position::text`,
      [destination, beginning.transactionId, beginning.position, this.id, name, leaseMs],
    );
    if (!rows[0]) return false;
    this.cursor = rows[0];
    this.recorded = rows[0];
    this.failure = undefined;
    this.until = asked + leaseMs;
    return true;
  }

  /** The leader, and the number of unpublished events. */
  async check(): Promise<{ leader: string | undefined; behind: number }> {
    const { destination } = this.options;
    const rows = await this.database.query<{ leader: string | null; behind: number }[]>(
      `SELECT CASE WHEN NOT ${isLeaseOver('lease_until')} THEN leader_name END AS leader,
              (${unpublishedAfter('relays.transaction_id', 'relays.position')}) AS behind
       FROM relays WHERE destination = $1`,
      [destination],
    );
    const [row] = rows;
    if (!row) return { leader: undefined, behind: await countUnpublished(this.database, destination) };
    return { leader: row.leader ?? undefined, behind: row.behind };
  }

  /** Whether a third of the lease has passed. */
  get isAging(): boolean {
    return performance.now() > this.until - (this.options.leaseMs * 2) / 3;
  }

  /**
   * Call it right before publishing: a process that was frozen in between must not continue unchecked. Renews a lease that is over.
   *
   * @throws RelayLeaseLost, or the error of the database if the place could not be recorded.
   */
  async assertHeld(): Promise<void> {
    if (this.failure) throw this.failure;
    if (performance.now() >= this.until) await this.prolong();
  }

  /** Notes that everything up to a place is published; the place is recorded soon. */
  published(place: Cursor): void {
    this.cursor = place;
    this.timer ??= setTimeout(() => {
      this.timer = undefined;
      this.record().catch((error: Error) => {
        this.failure = error;
      });
    }, recordEveryMs);
  }

  /**
   * Records the published place, and extends the lease.
   *
   * @throws RelayLeaseLost if another process has it by now.
   */
  async prolong(): Promise<void> {
    await this.recording?.catch(() => {});
    await this.record();
  }

  /** Records the published place. Others may lead at once, from there. */
  async giveUp(): Promise<void> {
    clearTimeout(this.timer);
    this.timer = undefined;
    const led = this.cursor;
    if (!led) return;
    // Not where the row is at another place than was recorded: the database was set back to an earlier moment, and what follows
    // there is not published.
    await this.prolong().catch(() => {});
    this.cursor = undefined;
    this.until = 0;
    await this.database.query(
      'UPDATE relays SET lease_until = clock_timestamp() WHERE destination = $1 AND leader = $2',
      [this.options.destination, this.id],
    );
  }

  /** One at a time: each continues from the place that the one before has recorded. */
  private record(): Promise<void> {
    this.recording ??= this.recordNow().finally(() => {
      this.recording = undefined;
    });
    return this.recording;
  }

  private async recordNow(): Promise<void> {
    const { destination, leaseMs } = this.options;
    const { cursor: to, recorded: from } = this;
    if (!to || !from) throw new RelayLeaseLost('not leading');
    const asked = performance.now();
    const [, moved] = await this.database.query<[unknown, number]>(
      `UPDATE relays SET transaction_id = $5::xid8, position = $6,
                         lease_until = ${leaseUntil('$7')}
       WHERE destination = $1 AND leader = $2 AND transaction_id = $3::xid8 AND position = $4`,
      [destination, this.id, from.transactionId, from.position, to.transactionId, to.position, leaseMs],
    );
    if (moved !== 1) throw new RelayLeaseLost('another relay has taken over');
    this.recorded = to;
    this.until = asked + leaseMs;
  }
}
