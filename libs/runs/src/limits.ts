import { Column, type DataSource, Entity, PrimaryColumn, Raw } from 'typeorm';
import type { Resources } from '#contracts';
import type { Tx } from '#event-store';

/** Exact sums end here. */
const mostAmount = Number.MAX_SAFE_INTEGER;

/** The victims of other runs that ceilings count. docs/how-to/ceilings.md */
export interface CountedVictims {
  /** Evicted within the last hour, or planned by an admitted run that is not over. */
  hour: { victims: number; resources: Resources };
  /** Evicted or planned by the runs of the same configuration. */
  ofConfiguration: number;
}

/**
 * Counts the victims of all runs of a partition but one, with one statement: a run that ends meanwhile is counted once.
 *
 * @param run.configuration undefined: no configuration causes it, and `ofConfiguration` is 0.
 * @param wanted.resources whether they are added up; else `{}`.
 */
export async function countVictims(
  db: DataSource | Tx,
  run: { partition: string; enforcement: string; configuration: number | undefined },
  wanted: { resources: boolean },
): Promise<CountedVictims> {
  const [row] = await db.query<
    { victims: number; of_configuration: number; resources: Record<string, string> }[]
  >(COUNT, [run.partition, run.enforcement, run.configuration ?? null, wanted.resources]);
  const { victims, of_configuration: ofConfiguration, resources } = row!;
  const amounts = Object.entries(resources).map(([type, amount]) => [type, Number(amount)] as const);
  return { hour: { victims, resources: Object.fromEntries(amounts) }, ofConfiguration };
}

/** $1 partition, $2 the run that is not counted, $3 configuration or null, $4 whether to add up resources. */
const COUNT = `
  WITH counted AS MATERIALIZED (
    SELECT evicted_at > clock_timestamp() - interval '1 hour' AS of_hour,
           coalesce(configuration = $3::int, false) AS of_configuration, resources
    FROM recent_victims
    WHERE partition = $1 AND enforcement <> $2
      AND (evicted_at > clock_timestamp() - interval '1 hour' OR configuration = $3::int)
    UNION ALL
    SELECT run.admitted, coalesce(run.configuration = $3::int, false), v.resources
    FROM runs run JOIN planned_victims v ON v.enforcement = run.enforcement
    WHERE run.partition = $1 AND run.enforcement <> $2 AND (run.admitted OR run.configuration = $3::int)
  )
  SELECT count(*) FILTER (WHERE of_hour)::int AS victims, count(*) FILTER (WHERE of_configuration)::int AS of_configuration,
         (SELECT coalesce(json_object_agg(type, amount), '{}')
          FROM (SELECT type, least(sum(amount::numeric), ${mostAmount})::text AS amount
                FROM counted, jsonb_each_text(resources) AS of (type, amount)
                WHERE $4::bool AND of_hour GROUP BY type) AS sums) AS resources
  FROM counted`;

/** The tokens of a partition, and since when it has them. */
export interface KeptTokens {
  tokens: number;
  ageMs: number;
}

/**
 * Takes the turn to order victims in a partition until the transaction ends, so that orders of all processes are judged one after the
 * other.
 *
 * @returns its tokens; undefined: nothing was taken at a rate before.
 */
export async function turnOfOrders(tx: Tx, partition: string): Promise<KeptTokens | undefined> {
  const rows = await tx.query<{ tokens: number | null; age_ms: number }[]>(
    `INSERT INTO eviction_rates AS known (partition, taken_at) VALUES ($1, clock_timestamp())
     ON CONFLICT (partition) DO UPDATE SET partition = excluded.partition
     RETURNING tokens, extract(epoch FROM clock_timestamp() - taken_at)::float8 * 1000 AS age_ms`,
    [partition],
  );
  const { tokens, age_ms: ageMs } = rows[0]!;
  return tokens === null ? undefined : { tokens, ageMs };
}

/** Keeps the tokens that are left; the transaction has the turn (`turnOfOrders`). */
export async function keepTokens(tx: Tx, partition: string, tokens: number): Promise<void> {
  await tx.query('UPDATE eviction_rates SET tokens = $2, taken_at = clock_timestamp() WHERE partition = $1', [
    partition,
    tokens,
  ]);
}

/** All victims of the run count from now on. */
export async function admitRun(tx: Tx, enforcement: string): Promise<void> {
  await tx.query('UPDATE runs SET admitted = true WHERE enforcement = $1 AND NOT admitted', [enforcement]);
}

export const noteLimitEveryMs = 10_000;
/** Three times the interval: one late write hides nothing. */
const validSeconds = 30;

/** A part of runs that each process limits by its own settings. */
export interface LimitedService {
  /** `planner`, `executor` */
  name: string;
  /** It evicts nothing, whatever mode is set for a partition: CURTAIL_MODE=observe. */
  observesOnly: boolean;
}

/**
 * Notes whether the services of a process only observe: each process has its own settings, and the console shows the mode that counts. Rows of
 * processes that have died expire.
 */
export async function noteLimits(
  db: DataSource,
  process: string,
  services: readonly LimitedService[],
): Promise<void> {
  await db.manager.delete(ServiceLimit, { validUntil: Raw((column) => `${column} < now()`) });
  if (services.length === 0) return;
  const validUntil = () => `now() + make_interval(secs => ${validSeconds})`;
  await db.manager.upsert(
    ServiceLimit,
    services.map(({ name, observesOnly }) => ({ process, service: name, observesOnly, validUntil })),
    ['process', 'service'],
  );
}

/** Forgets a process that ends; undefined: all, since no other process uses the database. */
export async function forgetLimits(db: DataSource, process?: string): Promise<void> {
  const { manager } = db;
  await (process === undefined ? manager.deleteAll(ServiceLimit) : manager.delete(ServiceLimit, { process }));
}

/** The services of which every process only observes, by name: while there is one, nothing is evicted in any partition. */
export async function observingServices(db: Pick<DataSource, 'query'>): Promise<string[]> {
  const rows = await db.query<{ service: string }[]>(
    `SELECT service FROM service_limits WHERE valid_until >= now()
     GROUP BY service HAVING bool_and(observes_only) ORDER BY service`,
  );
  return rows.map(({ service }) => service);
}

/** Whether the settings of a running planner or executor limit it to observe. */
@Entity('service_limits')
class ServiceLimit {
  @PrimaryColumn('text') process: string;
  @PrimaryColumn('text') service: string;
  @Column('boolean') observesOnly: boolean;
  @Column('timestamptz') validUntil: Date;
}
