import { randomUUID } from 'node:crypto';
import { CurtailError } from '@curtail/contracts';
import { beginning, type Cursor, isLeaseOver, leaseUntil } from '@curtail/event-store';
import type { DataSource } from 'typeorm';

/** How far the log is published there; undefined: nothing was yet. */
export async function publishedUpTo(database: DataSource, destination: string): Promise<Cursor | undefined> {
  const rows: Cursor[] = await database.query(
    'SELECT transaction_id::text AS "transactionId", position::text FROM relays WHERE destination = $1',
    [destination],
  );
  return rows[0];
}

/** How many events of the log are not published there yet, counted up to 100,000. */
export async function countUnpublished(database: DataSource, destination: string): Promise<number> {
  const { transactionId, position } = (await publishedUpTo(database, destination)) ?? beginning;
  const rows: { behind: number }[] = await database.query(
    `SELECT count(*)::int AS behind FROM (
       SELECT 1 FROM events WHERE (transaction_id, position) > ($1::xid8, $2::bigint) LIMIT 100000) waiting`,
    [transactionId, position],
  );
  return rows[0]!.behind;
}

/** Another process leads by now, or will soon: what is published meanwhile could only be a repetition. */
export class RelayLeaseLost extends CurtailError {
  readonly code = 'relay-lease-lost';
}

/**
 * The right to publish, and how far the log is published: one row a destination. A lease in place of a lock of the session,
 * for a process that is frozen keeps its connection, and with it its locks. The clock is that of the database.
 *
 * A process that has lost the lease can still send the page it had read, once: its cursor does not move any more. So others may see a
 * repetition of what was published before, and never a later event before an earlier one.
 */
export class RelayLease {
  /** Of this candidate. */
  readonly id = randomUUID();
  private cursor: Cursor | undefined;
  private until = 0;

  constructor(
    private readonly database: DataSource,
    private readonly options: { destination: string; name: string; leaseMs: number },
  ) {}

  /** Where to read on; undefined while others lead. */
  get place(): Cursor | undefined {
    return this.cursor;
  }

  async isFree(): Promise<boolean> {
    const held: unknown[] = await this.database.query(
      `SELECT 1 FROM relays WHERE destination = $1 AND leader <> $2 AND NOT ${isLeaseOver('lease_until')}`,
      [this.options.destination, this.id],
    );
    return held.length === 0;
  }

  /** @returns false if another process was quicker. */
  async take(): Promise<boolean> {
    const { destination, name, leaseMs } = this.options;
    const asked = performance.now();
    const rows: Cursor[] = await this.database.query(
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
    this.until = asked + leaseMs;
    return true;
  }

  /** Who leads, and how much is not published yet. */
  async check(): Promise<{ leader: string | undefined; behind: number }> {
    const { destination } = this.options;
    const [rows, behind] = await Promise.all([
      this.database.query<{ leader: string }[]>(
        `SELECT leader_name AS leader FROM relays WHERE destination = $1 AND NOT ${isLeaseOver('lease_until')}`,
        [destination],
      ),
      countUnpublished(this.database, destination),
    ]);
    return { leader: rows[0]?.leader, behind };
  }

  /** Whether a third of the lease is over. */
  get isAging(): boolean {
    return performance.now() > this.until - (this.options.leaseMs * 2) / 3;
  }

  /** To be asked right before publishing: a process that was frozen in between must not go on as if nothing had been. */
  get isOver(): boolean {
    return performance.now() >= this.until;
  }

  /**
   * Moves the cursor behind what is published, and prolongs the lease.
   *
   * @throws RelayLeaseLost if another process has it by now.
   */
  async move(to: Cursor): Promise<void> {
    const { destination, leaseMs } = this.options;
    const from = this.cursor;
    if (!from) throw new RelayLeaseLost('not leading');
    const asked = performance.now();
    const [, moved]: [unknown, number] = await this.database.query(
      `UPDATE relays SET transaction_id = $5::xid8, position = $6,
                         lease_until = ${leaseUntil('$7')}
       WHERE destination = $1 AND leader = $2 AND transaction_id = $3::xid8 AND position = $4`,
      [destination, this.id, from.transactionId, from.position, to.transactionId, to.position, leaseMs],
    );
    if (moved !== 1) throw new RelayLeaseLost('another relay has taken over');
    this.cursor = { transactionId: to.transactionId, position: to.position };
    this.until = asked + leaseMs;
  }

  /** @throws RelayLeaseLost */
  async prolong(): Promise<void> {
    if (this.cursor) await this.move(this.cursor);
  }

  /** Others may lead at once. */
  async giveUp(): Promise<void> {
    const led = this.cursor;
    this.forget();
    if (!led) return;
    await this.database.query(
      'UPDATE relays SET lease_until = clock_timestamp() WHERE destination = $1 AND leader = $2',
      [this.options.destination, this.id],
    );
  }

  forget(): void {
    this.cursor = undefined;
    this.until = 0;
  }
}
