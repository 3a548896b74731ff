import { createHash } from 'node:crypto';
import { setImmediate as statementsAreSent } from 'node:timers/promises';
import type { DataSource } from 'typeorm';
import {
  type OwnerBudget,
  type Owners,
  type Resources,
  usersByApplication,
  victimsKeptDays,
} from '#contracts';
import { typesOf } from '#contracts/events';
import { deleteOldest, runStream, type Tx } from '#event-store';

/** A run, and the allocations that it is to evict. */
interface PlannedVictims {
  enforcement: string;
  partition: string;
  /** `uid` of the incarnation, where the cluster distinguishes incarnations. */
  victims: readonly {
    allocation: string;
    uid?: string | undefined;
    application: string;
    queue: string;
    resources: Resources;
  }[];
  /** The users of their applications, as far as they are known. */
  owners: Owners | undefined;
  /** Those by which its plan counted the victims of owners; before it, the transaction has taken `turnOfOwnerBudgets`. */
  ownerBudgets?: readonly OwnerBudget[];
}

/** Two plans have counted the victims of owners alike if this is equal. A digest, since each planned victim has it. */
export function countedFor(budgets: readonly OwnerBudget[]): string {
  const text = JSON.stringify(budgets.map(({ per, victims, seconds }) => [per, victims, seconds]));
  return createHash('sha256').update(text).digest('base64url');
}

/** Victims in one statement: the server stores them while this process writes the next ones. */
const victimsAtOnce = 5000;

/**
 * Until their run ends, or their outcome is recorded, these victims count as leaving for every reader (view
 * `leaving_victims`).
 *
 * @param areNew none of them is planned yet: the server then need not look for each of them.
 * @param meanwhile is called once the server has got all victims, and awaited.
 */
export async function addPlannedVictims(
  tx: Tx,
  runs: readonly PlannedVictims[],
  { areNew = false, meanwhile = async () => {} }: { areNew?: boolean; meanwhile?: () => Promise<void> } = {},
): Promise<void> {
  const all: Columns = {
    runs: runs.flatMap(({ victims }, i) => victims.map(() => i + 1)),
    victims: runs.flatMap(({ victims }) => victims),
    users: runs.flatMap(usersOf),
  };
  const storing: Promise<unknown>[] = [];
  for (let from = 0; from < all.victims.length; from += victimsAtOnce) {
    const stored = storeVictims(tx, runs, piece(all, from, from + victimsAtOnce), areNew);
    // It is awaited when all are sent.
    stored.catch(() => {});
    storing.push(stored);
    // Otherwise the server would get them only after the last of them, or after `meanwhile`.
    if (all.victims.length > victimsAtOnce) await statementsAreSent();
  }
  await Promise.all([...storing, meanwhile()]);
}

/** The victims of all runs: the number of the run of each, counted from 1, and the user of its application. */
interface Columns {
  runs: number[];
  victims: PlannedVictims['victims'][number][];
  users: (string | null)[];
}

const piece = ({ runs, victims, users }: Columns, from: number, to: number): Columns => ({
  runs: runs.slice(from, to),
  victims: victims.slice(from, to),
  users: users.slice(from, to),
});

async function storeVictims(
  tx: Tx,
  runs: readonly PlannedVictims[],
  { runs: numbers, victims, users }: Columns,
  areNew: boolean,
): Promise<void> {
  // JSON, because an array takes this process ten times as long to write. Sorted by the key, because its index is then
  // written from one end to the other.
  await tx.query(
    `INSERT INTO planned_victims (enforcement, partition, allocation, uid, application, queue, owner, resources, counted_at, counted_for)
     SELECT ($1::text[])[run::int], ($2::text[])[run::int], allocation, uid, application, queue, owner, resources::jsonb,
            CASE WHEN ($3::text[])[run::int] IS NOT NULL THEN (SELECT clock_timestamp()) END, ($3::text[])[run::int]
     FROM ROWS FROM (${Array.from({ length: 7 }, (_, i) => `json_array_elements_text($${i + 4})`).join(', ')})
       AS victim (run, allocation, uid, application, queue, owner, resources)
     ORDER BY run::int, allocation COLLATE "C" ${areNew ? '' : 'ON CONFLICT DO NOTHING'}`,
    [
      runs.map(({ enforcement }) => enforcement),
      runs.map(({ partition }) => partition),
      runs.map(({ ownerBudgets = [] }) => (ownerBudgets.length > 0 ? countedFor(ownerBudgets) : null)),
      JSON.stringify(numbers),
      JSON.stringify(victims.map(({ allocation }) => allocation)),
      JSON.stringify(victims.map(({ uid }) => uid ?? null)),
      JSON.stringify(victims.map(({ application }) => application)),
      JSON.stringify(victims.map(({ queue }) => queue)),
      JSON.stringify(users),
      JSON.stringify(victims.map(({ resources }) => resources)),
    ],
  );
}

/** The user of each victim, or null. */
function usersOf({ victims, owners }: PlannedVictims): (string | null)[] {
  const users = usersByApplication(owners);
  return victims.map(({ application }) => users.get(application) ?? null);
}

/** These victims of a run stay after all. */
export async function dropPlannedVictims(tx: Tx, enforcement: string, allocations: string[]): Promise<void> {
  await tx.query('DELETE FROM planned_victims WHERE enforcement = $1 AND allocation = ANY ($2)', [
    enforcement,
    allocations,
  ]);
}

/**
 * These runs have lost their lock, and order nothing any more: their victims no longer count as leaving. Each of them that was ordered
 * becomes a recent victim, since its eviction may still be carried out.
 */
export async function dropVictimsOf(tx: Tx, enforcements: string[]): Promise<void> {
  await tx.query(`WITH ${plannedToRecent('e.type = ANY ($2::text[])')} ON CONFLICT DO NOTHING`, [
    enforcements,
    typesOf('VictimOrdered'),
  ]);
}

/** Deletes victims that no owner budget counts any more. @returns their number; fewer than `limit` if none is left. */
export function trimRecentVictims(db: DataSource, limit: number): Promise<number> {
  const isOver = 'evicted_at < now() - make_interval(days => $1)';
  return deleteOldest(db, 'recent_victims', { key: ['evicted_at'], isOver, days: victimsKeptDays, limit });
}

/**
 * Plans with owner budgets are recorded one at a time in a partition. So each plan sees all those with an earlier `counted_at`
 * when it is carried out, and of two that were made without knowing of one another, by the same budgets, the later one gives way. Of two
 * with different budgets (`counted_for`) each gives way: neither has counted by the budgets of the other.
 */
export async function turnOfOwnerBudgets(tx: Tx, partitions: Iterable<string>): Promise<void> {
  const keys = [...new Set(partitions)].sort().map((partition) => `owner-budgets/${partition}`);
  for (const key of keys) await tx.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [key]);
}

/**
 * Part of a statement, $1 runs: deletes their planned victims, and makes those recent that have events in their streams which a condition
 * selects. An event without the fields of a victim is damaged, and must not keep a lock from being released. Each event is selected first
 * and then read once: a run may have a hundred thousand.
 *
 * @param condition on the event `e`.
 */
export const plannedToRecent = (condition: string) => `
  forgotten AS (DELETE FROM planned_victims WHERE enforcement = ANY ($1::text[]))
  INSERT INTO recent_victims (enforcement, allocation, partition, application, queue, owner, evicted_at, resources, configuration)
  SELECT run, victim.allocation, event.partition, victim.application, victim."victimQueue", planned.owner, event.recorded_at,
         coalesce(victim.resources, planned.resources),
         (SELECT configuration FROM runs WHERE enforcement = run)
  FROM unnest($1::text[]) AS ended (run)
    CROSS JOIN LATERAL (
      SELECT partition, recorded_at, data FROM events e
      WHERE e.stream = '${runStream('')}' || run AND (${condition})
      OFFSET 0) event
    CROSS JOIN LATERAL json_to_record(CASE WHEN json_typeof(event.data) = 'object' THEN event.data END)
      AS victim (allocation text, application text, "victimQueue" text, resources jsonb)
    LEFT JOIN planned_victims planned ON planned.enforcement = run AND planned.allocation = victim.allocation
  WHERE victim.allocation IS NOT NULL AND victim.application IS NOT NULL AND victim."victimQueue" IS NOT NULL`;

/** The victims of other runs that hold their lock, without those already spared or failed: the uid, or null, by allocation. */
export async function leavingByOthers(
  db: DataSource,
  run: { partition: string; enforcement: string },
): Promise<Map<string, string | null>> {
  const rows = await db.query<{ allocation: string; uid: string | null }[]>(STILL_TO_GO, [
    run.partition,
    run.enforcement,
    runStream(''),
    [...typesOf('VictimSpared'), ...typesOf('VictimFailed')],
  ]);
  return new Map(rows.map(({ allocation, uid }) => [allocation, uid]));
}

/** $1 partition, $2 the run that is not counted, $3 the prefix of the streams of runs, $4 types of outcomes. */
const STILL_TO_GO = `
  WITH planned AS (
    SELECT $3 || enforcement AS stream, allocation, uid FROM leaving_victims
    WHERE partition = $1 AND enforcement <> $2
  ), staying AS (
    SELECT DISTINCT stream, data ->> 'allocation' AS allocation FROM events
    WHERE stream IN (SELECT stream FROM planned) AND type = ANY ($4::text[])
  )
  SELECT allocation, uid FROM planned LEFT JOIN staying USING (stream, allocation) WHERE staying.stream IS NULL`;

/**
 * Counts the victims of owners in other runs, for a budget of a plan.
 *
 * @param own the digest of the budgets of the plan (`countedFor`).
 * @param names of owners.
 * @returns one number for each name.
 */
export async function countOfOthers(
  db: DataSource,
  { partition, enforcement }: { partition: string; enforcement: string },
  { per, seconds }: OwnerBudget,
  own: string,
  names: readonly string[],
): Promise<number[]> {
  const owner = { user: "coalesce(owner, '')", application: 'application', queue: 'queue' }[per];
  const rows = await db.query<{ name: string; count: number }[]>(OTHERS(owner), [
    partition,
    enforcement,
    seconds,
    names,
    own,
  ]);
  const counts = new Map(rows.map(({ name, count }) => [name, count]));
  return names.map((name) => counts.get(name) ?? 0);
}

/**
 * $1 partition, $2 run, $3 seconds, $4 names of owners, $5 the budgets of the run. Victims that other runs have planned count as evicted,
 * except those of plans with the same budgets that were recorded later: these have counted the victims of this run. A plan with other
 * budgets has not counted them by these. A budget of 0 seconds counts its own plan alone.
 */
const OTHERS = (owner: string) => `
  SELECT name, count(*)::int AS count FROM (
    SELECT ${owner} AS name FROM recent_victims
    WHERE partition = $1 AND enforcement <> $2 AND evicted_at > clock_timestamp() - make_interval(secs => $3)
    UNION ALL
    SELECT ${owner} FROM planned_victims
    WHERE partition = $1 AND enforcement <> $2 AND application IS NOT NULL AND $3::float8 > 0
      AND (counted_at IS NULL OR counted_for IS DISTINCT FROM $5::text
           OR counted_at < coalesce((SELECT max(counted_at) FROM planned_victims WHERE enforcement = $2), 'infinity'))
  ) AS victims
  WHERE name = ANY ($4::text[]) GROUP BY name`;
