import type { DataSource } from 'typeorm';
import type { Tx } from '#event-store';

/**
 * The right to check some queues and to kill in them, until `end` is called; calling it again has no effect. Where
 * several processes execute, it is a lock of the database: writes through `tx` fail once that lock has been lost.
 */
export interface Turn {
  queues: readonly string[];
  tx: Tx | undefined;
  end(): void;
}

/** A process that is frozen with a turn must not stop all others forever: the server ends the turn after this time. */
const idleMs = 60_000;

/**
 * Lets one run at a time check a queue and kill in it. A check is valid only until the next kill: two runs that check
 * at the same moment would each leave the queue above them its guaranteed amount, but together would not. Kills in
 * unrelated queues do not wait for one another.
 *
 * A run that needs several queues takes them in one fixed order, so that no two runs wait for each other.
 */
export class RunTurns {
  /** By partition and queue: resolves when the last requested turn is over. */
  private readonly last = new Map<string, Promise<void>>();

  /** @param shared the database that executors of several processes share; absent: there is only this one. */
  constructor(private readonly shared?: DataSource) {}

  /**
   * @param read the first read under the turn, through `tx` if present: sent together with the request for the turn,
   * answered after it.
   */
  async take<T>(
    partition: string,
    queues: Iterable<string>,
    read: (tx: Tx | undefined) => Promise<T>,
  ): Promise<{ turn: Turn; seen: T }> {
    const sorted = [...new Set(queues)].sort();
    const ends: (() => void)[] = [];
    for (const queue of sorted) ends.push(await this.takeHere(`${partition}/${queue}`));
    const endHere = () => {
      for (const end of ends) end();
    };
    try {
      if (this.shared) return await lock(this.shared, partition, sorted, { endHere, read });
      return { turn: { queues: sorted, tx: undefined, end: endHere }, seen: await read(undefined) };
    } catch (error) {
      endHere();
      throw error;
    }
  }

  private async takeHere(key: string): Promise<() => void> {
    const before = this.last.get(key);
    let end = () => {};
    const mine = new Promise<void>((resolve) => {
      end = resolve;
    });
    this.last.set(key, mine);
    void mine.then(() => {
      if (this.last.get(key) === mine) this.last.delete(key);
    });
    await before;
    return end;
  }
}

/** The locks belong to a connection of their own, and are gone with it: no crash leaves one behind. */
async function lock<T>(
  database: DataSource,
  partition: string,
  queues: string[],
  { endHere, read }: { endHere: () => void; read: (tx: Tx) => Promise<T> },
): Promise<{ turn: Turn; seen: T }> {
  const runner = database.createQueryRunner();
  const keys = queues.map((queue) => `turn/${partition}/${queue}`);
  let ended = false;
  const end = (): void => {
    if (ended) return;
    ended = true;
    runner
      .query("SELECT pg_advisory_unlock_all(), set_config('idle_session_timeout', '0', false)")
      // A connection whose locks could not be given back is of no use to anybody else.
      .catch(() => runner.query('SELECT pg_terminate_backend(pg_backend_pid())').catch(() => {}))
      .finally(() => runner.release().catch(() => {}))
      .finally(endHere);
  };
  try {
    // In the given order: a set-returning statement might take the locks in another one.
    const locked = runner.query(
      `SELECT set_config('idle_session_timeout', $2, false),
              (SELECT count(pg_advisory_lock(hashtextextended(key, 0)))
               FROM (SELECT key FROM unnest($1::text[]) WITH ORDINALITY AS k (key, nr) ORDER BY nr OFFSET 0) AS keys)`,
      [keys, String(idleMs)],
    );
    // The connection runs statements in order: the read waits for the locks, without a round trip between them.
    const [, seen] = await Promise.all([locked, read(runner.manager)]);
    return { turn: { queues, tx: runner.manager, end }, seen };
  } catch (error) {
    end();
    throw error;
  }
}
