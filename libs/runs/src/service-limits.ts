import type { DataSource } from 'typeorm';

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
  await db.query('DELETE FROM service_limits WHERE valid_until < now()');
  await db.query(
    `INSERT INTO service_limits (process, service, observes_only, valid_until)
     SELECT $1, service, observes_only, now() + make_interval(secs => ${validSeconds})
     FROM unnest($2::text[], $3::boolean[]) AS s (service, observes_only)
     ON CONFLICT (process, service) DO UPDATE SET valid_until = excluded.valid_until`,
    [process, services.map(({ name }) => name), services.map(({ observesOnly }) => observesOnly)],
  );
}

/** Forgets a process that ends; undefined: all, since no other process uses the database. */
export async function forgetLimits(db: DataSource, process?: string): Promise<void> {
  await db.query('DELETE FROM service_limits WHERE $1::text IS NULL OR process = $1', [process ?? null]);
}

/** The services of which every process only observes, by name: while there is one, nothing is evicted in any partition. */
export async function observingServices(db: Pick<DataSource, 'query'>): Promise<string[]> {
  const rows = await db.query<{ service: string }[]>(
    `SELECT service FROM service_limits WHERE valid_until >= now()
     GROUP BY service HAVING bool_and(observes_only) ORDER BY service`,
  );
  return rows.map(({ service }) => service);
}
