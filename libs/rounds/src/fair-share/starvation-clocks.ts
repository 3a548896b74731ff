import type { DataSource } from 'typeorm';
import { chain } from '#contracts';
import { type Observation, observe, type StarvationClock, type Starving } from '#enforcement';
import { appendNext, type Tx } from '#event-store';
import { clearDueTimers, clearTimers, clearTimersOf, setTimers, type Timer } from '#timers';
import { StaleObservation } from '../planned-round.js';
import { endRounds } from '../round-table.js';
import { dropView } from './fair-share-tables.js';

/** The kind of the timers that request a plan because a state has lasted too long. */
export const starvationTimer = 'starvation';

/** The name of the timer that requests a plan when the first node may be used again. */
export const backOffTimer = 'back-off';

/** The stream of the clocks of a partition; written by the planner, and by the timer when the policy is switched off. */
export const starvationStream = (partition: string) => `starvation-${partition}`;

interface Row {
  kind: StarvationClock['kind'];
  name: string;
  queue: string;
  since: Date;
  starvation: StarvationClock['starvation'];
  starving_since: Date | null;
  due_at: Date | null;
}

/** The clocks of a partition as its last observation left them. */
export async function readClocks(db: DataSource | Tx, partition: string): Promise<StarvationClock[]> {
  const rows = await db.query<Row[]>(
    `SELECT kind, name, queue, since, starvation, starving_since, due_at FROM starvation_clocks
     WHERE partition = $1 ORDER BY kind, name`,
    [partition],
  );
  return rows.map(({ since, starving_since, due_at, ...row }) => ({
    ...row,
    since: since.toISOString(),
    starvingSince: starving_since?.toISOString() ?? null,
    dueAt: due_at?.toISOString() ?? null,
  }));
}

/** How many clocks of each kind are in each state, over all partitions. */
export async function countClocks(
  db: DataSource,
): Promise<{ kind: string; starvation: string; count: number }[]> {
  return db.query('SELECT kind, starvation, count(*)::int AS count FROM starvation_clocks GROUP BY 1, 2');
}

/** The operation, if it starves, and the pools from its queue up that do. */
export async function starvingAbove(
  db: DataSource,
  partition: string,
  { operation, queue }: { operation: string; queue: string },
): Promise<Starving[]> {
  return db.query(
    `SELECT kind, name, starvation AS state FROM starvation_clocks
     WHERE partition = $1 AND starvation IN ('starving', 'aggressively_starving')
       AND ((kind = 'operation' AND name = $2) OR (kind = 'pool' AND name = ANY ($3::text[])))`,
    [partition, operation, chain(queue)],
  );
}

/**
 * Records an observation: clocks, timers and events change together, in the caller's transaction. Observations of one
 * partition are serialized here, so that the clocks and the head of the stream belong together. The clocks are replaced as a
 * whole, not folded from their events (`FoldedStream`).
 *
 * A timer that is due by the time of the snapshot has been answered by it, and is removed. So a wake-up during a round
 * is not lost: its timer stays due until a later observation.
 *
 * @throws StaleObservation
 */
export async function recordObservation(tx: Tx, observation: Observation): Promise<void> {
  const { partition, at, generation } = observation;
  await takeTurn(tx, observation);
  const { clocks, events } = observe(await readClocks(tx, partition), observation);
  await writeClocks(tx, partition, clocks);
  await clearDueTimers(tx, starvationTimer, partition, at);
  const timers: Timer[] = events.flatMap(({ name, data }) =>
    name === 'TimerStarted' || name === 'TimerRestarted'
      ? [{ ...keyOf(partition, data), generation, dueAt: new Date(data.dueAt), state: 'pending' }]
      : [],
  );
  await setTimers(tx, timers);
  await clearTimers(
    tx,
    events.flatMap(({ name, data }) => (name === 'TimerCancelled' ? [keyOf(partition, data)] : [])),
  );
  if (events.length === 0) return;
  await appendNext(tx, {
    stream: starvationStream(partition),
    partition,
    events: events.map((event) => ({ event, key: 'queue' in event.data ? event.data.queue! : 'root' })),
  });
}

/**
 * The policy is switched off in a partition: all its clocks and its view are deleted. A round under way ends at once;
 * runs whose victims have time to finish detect by themselves that their settings are gone.
 */
export async function forgetClocks(tx: Tx, partition: string, now: Date): Promise<void> {
  await endRounds(tx, 'fair-share', partition);
  const rows = await tx.query<{ observedAt: Date; at: Date }[]>(
    `SELECT observed_at AS "observedAt", greatest(observed_at, $2) AS at FROM starvation_observations
     WHERE partition = $1 FOR UPDATE`,
    [partition, now.toISOString()],
  );
  if (!rows[0]) return;
  const { observedAt, at } = rows[0];
  const nothing = { elements: [], nodes: [], overcommitMs: 0, generation: 1 };
  await recordObservation(tx, { partition, at: at.toISOString(), ...nothing });
  // There was no observation: the newest report of the cluster may be older than this, and still be the newest when the
  // policy returns.
  await tx.query('UPDATE starvation_observations SET observed_at = $2 WHERE partition = $1', [
    partition,
    observedAt.toISOString(),
  ]);
  await clearTimersOf(tx, starvationTimer, partition);
  await dropView(tx, partition);
}

const keyOf = (partition: string, { kind, name }: { kind: string; name: string }) => ({
  kind: starvationTimer,
  partition,
  name: `${kind}/${name}`,
});

/** Holds the row of the partition until the end of the transaction. */
async function takeTurn(tx: Tx, { partition, at }: Observation): Promise<void> {
  const rows = await tx.query<unknown[]>(
    `INSERT INTO starvation_observations (partition, observed_at) VALUES ($1, $2)
     ON CONFLICT (partition) DO UPDATE SET observed_at = excluded.observed_at
       WHERE starvation_observations.observed_at <= excluded.observed_at
     RETURNING 1`,
    [partition, at],
  );
  if (rows[0]) return;
  throw new StaleObservation(`the snapshot of ${at} is older than that of an earlier observation`);
}

/** Unchanged clocks are not written again. */
async function writeClocks(tx: Tx, partition: string, clocks: StarvationClock[]): Promise<void> {
  const columns = [
    partition,
    clocks.map(({ kind }) => kind),
    clocks.map(({ name }) => name),
    clocks.map(({ queue }) => queue),
    clocks.map(({ since }) => since),
    clocks.map(({ starvation }) => starvation),
    clocks.map(({ starvingSince }) => starvingSince),
    clocks.map(({ dueAt }) => dueAt),
  ];
  await tx.query(
    `DELETE FROM starvation_clocks c WHERE partition = $1
       AND NOT EXISTS (SELECT FROM unnest($2::text[], $3::text[]) AS kept (kind, name)
                       WHERE kept.kind = c.kind AND kept.name = c.name)`,
    columns.slice(0, 3),
  );
  if (clocks.length === 0) return;
  await tx.query(
    `INSERT INTO starvation_clocks AS c (partition, kind, name, queue, since, starvation, starving_since, due_at)
     SELECT $1, * FROM unnest($2::text[], $3::text[], $4::text[], $5::timestamptz[], $6::text[], $7::timestamptz[],
                              $8::timestamptz[])
     ON CONFLICT (partition, kind, name) DO UPDATE
       SET queue = excluded.queue, since = excluded.since, starvation = excluded.starvation,
           starving_since = excluded.starving_since, due_at = excluded.due_at
       WHERE (c.queue, c.since, c.starvation, c.starving_since, c.due_at) IS DISTINCT FROM
             (excluded.queue, excluded.since, excluded.starvation, excluded.starving_since, excluded.due_at)`,
    columns,
  );
}
