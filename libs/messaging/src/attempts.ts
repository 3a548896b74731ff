import { randomUUID } from 'node:crypto';
import type { StoredEvent, Tx } from '@curtail/event-store';
import type { DataSource } from 'typeorm';

/** This process, among all that ever handle events. */
const thisProcess = randomUUID();

/**
 * After it has begun to read somewhere, a process is careful for this time: an event that ends processes stands near to where the
 * one before ended, so that it is met soon.
 */
const carefulMs = 10_000;

/** So many processes may end with an event, one after the other, before it is put aside. */
export const processesOfOne = 3;

/**
 * How often a consumer has failed at an event, counted in the database (table `attempts`): the count outlives the process, and
 * also tells of events with which processes end.
 *
 * - *Failed*: an event that was tried alone, and failed with an error. One statement a failure.
 * - *Begun and not finished*: the process ended with it. A process that ends cannot note that, so it is noted before: while a
 *   process is careful, it notes each batch before it handles it, in one statement. The note goes with the effects. A process that
 *   finds the note of another one counts itself first, and handles that event alone.
 *
 * A process that is not careful notes nothing unless something fails.
 */
export class Attempts {
  /** Events with a row that this process has written. */
  private readonly noted = new Set<string>();
  private readonly failing = new Set<string>();
  private carefulUntil = 0;

  /** @param process for tests: who counts as one process. */
  constructor(
    private readonly db: DataSource,
    private readonly consumer: string,
    private readonly process: string = thisProcess,
  ) {}

  /** This process begins to read, or reads from partitions that another one had: it is careful for a while. */
  beCareful(forMs = carefulMs): void {
    this.carefulUntil = performance.now() + forMs;
  }

  /** Whether an event has failed here, and not been finished since. */
  hasFailed(id: string): boolean {
    return this.failing.has(id);
  }

  /**
   * Before a batch is handled.
   *
   * @returns how many other processes have begun an event and not finished it; without those that none has.
   */
  async begin(events: readonly StoredEvent[]): Promise<Map<string, number>> {
    if (performance.now() > this.carefulUntil) return new Map();
    const ids = [...new Set(events.map(({ id }) => id))];
    const others: { id: string; processes: number }[] = await this.db.query(beginAll, [
      this.consumer,
      ids,
      this.process,
    ]);
    for (const id of ids) this.noted.add(id);
    return new Map(others.map(({ id, processes }) => [id, processes]));
  }

  /**
   * Reads the data of an event, which may be more than memory holds. A read that fails is no end of this process.
   *
   * @returns undefined if too many other processes have ended with it: then its data are left where they are.
   * @throws what `read` throws.
   */
  async unlessDeadly<T>(event: StoredEvent, read: () => Promise<T>): Promise<T | undefined> {
    if (await this.isDeadly(event)) return undefined;
    try {
      return await read();
    } catch (error) {
      await this.survived([event]);
      throw error;
    }
  }

  private async isDeadly(event: StoredEvent): Promise<boolean> {
    const processes = (await this.begin([event])).get(event.id) ?? 0;
    if (processes >= processesOfOne) {
      // It is asked again when the event is put aside.
      this.beCareful();
      return true;
    }
    if (processes > 0) await this.beginAlone(event);
    return false;
  }

  /** Before an event is handled alone that another process has begun and not finished: this one counts, too. */
  async beginAlone({ id }: StoredEvent): Promise<void> {
    await this.db.query(
      `UPDATE attempts SET processes = processes + 1, process = $3, noted_at = now()
       WHERE consumer = $1 AND event_id = $2 AND process <> $3`,
      [this.consumer, id, this.process],
    );
  }

  /** An event was tried alone, and failed. @returns how often that has happened, in all processes. */
  async failed({ id }: StoredEvent): Promise<number> {
    const rows: { tries: number }[] = await this.db.query(
      `INSERT INTO attempts (consumer, event_id, process, tries) VALUES ($1, $2, $3, 1)
       ON CONFLICT (consumer, event_id) DO UPDATE SET tries = attempts.tries + 1, noted_at = now()
       RETURNING tries`,
      [this.consumer, id, this.process],
    );
    this.noted.add(id);
    this.failing.add(id);
    return rows[0]!.tries;
  }

  /** In the transaction that finishes events: what was noted of them goes. */
  async finish(tx: Tx, events: readonly StoredEvent[]): Promise<void> {
    const ids = events.map(({ id }) => id).filter((id) => this.noted.has(id));
    if (ids.length === 0) return;
    await tx.query('DELETE FROM attempts WHERE consumer = $1 AND event_id = ANY ($2::uuid[])', [
      this.consumer,
      ids,
    ]);
  }

  /** The same, once it has committed. */
  finished(events: readonly StoredEvent[]): void {
    if (this.noted.size === 0) return;
    for (const { id } of events) {
      this.noted.delete(id);
      this.failing.delete(id);
    }
  }

  /** These events will be redelivered, and this process lives: it did not end with them. */
  async survived(events: readonly StoredEvent[]): Promise<void> {
    const ids = events.map(({ id }) => id).filter((id) => this.noted.has(id));
    if (ids.length === 0) return;
    await this.db.query(
      'UPDATE attempts SET processes = 0 WHERE consumer = $1 AND event_id = ANY ($2::uuid[]) AND process = $3',
      [this.consumer, ids, this.process],
    );
  }
}

const beginAll = `
  WITH others AS (
    SELECT event_id, processes FROM attempts
    WHERE consumer = $1 AND event_id = ANY ($2::uuid[]) AND process <> $3 AND processes > 0
  ), noted AS (
    INSERT INTO attempts AS a (consumer, event_id, process, processes) SELECT $1, unnest($2::uuid[]), $3, 1
    ON CONFLICT (consumer, event_id) DO UPDATE SET process = $3, processes = 1, noted_at = now() WHERE a.processes = 0
  )
  SELECT event_id AS id, processes FROM others`;

/**
 * Forgets what was noted of events that another process has finished.
 *
 * @returns how many there were; a number below `limit` says that none is left.
 */
export async function trimAttempts(db: DataSource, olderThanDays: number, limit: number): Promise<number> {
  const [, trimmed]: [unknown, number] = await db.query(
    `DELETE FROM attempts WHERE (consumer, event_id) IN (
       SELECT consumer, event_id FROM attempts WHERE noted_at < now() - make_interval(days => $1) LIMIT $2
       FOR UPDATE SKIP LOCKED)`,
    [olderThanDays, limit],
  );
  return trimmed;
}
