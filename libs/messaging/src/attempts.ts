import { randomUUID } from 'node:crypto';
import type { DataSource } from 'typeorm';
import type { StoredEvent, Tx } from '#event-store';

/** Identifies this process among all that ever handle events. */
const thisProcess = randomUUID();

/**
 * A process is careful for at most this time after it has begun to read somewhere: an event that crashes processes is
 * close to the place where the one before ended, so it is reached soon.
 */
const carefulMs = 10_000;

/** This many processes may crash with an event, one after the other, before it becomes a dead letter. */
export const processesOfOne = 3;

/**
 * Counts the failures of a consumer with an event in the database (table `attempts`): the count outlives the process,
 * and so includes events that crash processes.
 *
 * - *Failed*: an event that was tried alone, and failed with an error. One statement per failure.
 * - *Begun and not finished*: the process crashed with it. A crashing process cannot record that, so it is recorded
 *   before: while a process is careful, it records each batch before it handles it, in one statement. The record is
 *   removed with the effects. A process that finds the record of another one first counts itself, and handles that
 *   event alone.
 *
 * A process that is not careful records nothing unless an event fails.
 */
export class Attempts {
  /** Events with a row that this process has written. */
  private readonly noted = new Set<string>();
  private readonly failing = new Set<string>();
  private carefulUntil = 0;

  /** @param process for tests: identifies one process. */
  constructor(
    private readonly db: DataSource,
    private readonly consumer: string,
    private readonly process: string = thisProcess,
  ) {}

  /** This process begins to read, or takes over partitions from another one: it is careful for a while. */
  beCareful(forMs = carefulMs): void {
    this.carefulUntil = performance.now() + forMs;
  }

  /** All events that were there when this process began to read are handled: those that come later have crashed no process before it. */
  endCare(): void {
    this.carefulUntil = 0;
  }

  isCareful(): boolean {
    return performance.now() < this.carefulUntil;
  }

  /** Whether an event has failed here, and not been finished since. */
  hasFailed(id: string): boolean {
    return this.failing.has(id);
  }

  /**
   * Call it before a batch is handled.
   *
   * @returns the number of other processes that have begun an event and not finished it; events with 0 are omitted.
   */
  async begin(events: readonly StoredEvent[]): Promise<Map<string, number>> {
    if (events.length === 0 || !this.isCareful()) return new Map();
    const ids = [...new Set(events.map(({ id }) => id))];
    const others = await this.db.query<{ id: string; processes: number }[]>(beginAll, [
      this.consumer,
      ids,
      this.process,
    ]);
    for (const id of ids) this.noted.add(id);
    return new Map(others.map(({ id, processes }) => [id, processes]));
  }

  /**
   * Reads the data of an event, which may not fit into memory. A failed read does not count as a crash of this process.
   *
   * @returns undefined if too many other processes have crashed with it: then its data are not read.
   * @throws the error of `read`.
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
      // Checked again when the event becomes a dead letter.
      this.beCareful();
      return true;
    }
    if (processes > 0) await this.beginAlone(event);
    return false;
  }

  /** Call it before an event is handled alone that another process has begun and not finished: this process counts, too. */
  async beginAlone({ id }: StoredEvent): Promise<void> {
    await this.db.query(
      `UPDATE attempts SET processes = processes + 1, process = $3, noted_at = now()
       WHERE consumer = $1 AND event_id = $2 AND process <> $3`,
      [this.consumer, id, this.process],
    );
  }

  /** Records that an event was tried alone and failed. @returns the number of failures, in all processes. */
  async failed({ id }: StoredEvent): Promise<number> {
    const rows = await this.db.query<{ tries: number }[]>(
      `INSERT INTO attempts (consumer, event_id, process, tries) VALUES ($1, $2, $3, 1)
       ON CONFLICT (consumer, event_id) DO UPDATE SET tries = attempts.tries + 1, noted_at = now()
       RETURNING tries`,
      [this.consumer, id, this.process],
    );
    this.noted.add(id);
    this.failing.add(id);
    return rows[0]!.tries;
  }

  /** Removes the records of events, in the transaction that finishes them. */
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

  /** These events will be redelivered, and this process is alive: it did not crash with them. */
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
 * Deletes the records of events that another process has finished.
 *
 * @returns the number of deleted records; fewer than `limit` if none is left.
 */
export async function trimAttempts(db: DataSource, olderThanDays: number, limit: number): Promise<number> {
  const [, trimmed] = await db.query<[unknown, number]>(
    `DELETE FROM attempts WHERE (consumer, event_id) IN (
       SELECT consumer, event_id FROM attempts WHERE noted_at < now() - make_interval(days => $1) LIMIT $2
       FOR UPDATE SKIP LOCKED)`,
    [olderThanDays, limit],
  );
  return trimmed;
}
