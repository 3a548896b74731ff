import { randomUUID } from 'node:crypto';
import { eventById, type StoredEvent, type Tx } from '@curtail/event-store';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';

/** A run that is not over yet, held by this process. */
export interface OpenExecution {
  enforcement: string;
  partition: string;
  queue: string;
  fencingToken: number;
}

/** A run that was taken hold of. */
export interface HeldExecution extends OpenExecution {
  /** So many processes have taken hold of it before, one after the other, and ended without recording anything of it. */
  deaths: number;
}

/** Runs that are held now, and in how many milliseconds the next step of any other is due; undefined if none is. */
export interface Claim {
  runs: HeldExecution[];
  nextDueInMs: number | undefined;
}

type ClaimRow =
  | { enforcement: string; partition: string; queue: string; fencing_token: string; died: number; ms: null }
  | { enforcement: null; ms: number | null };

const lengthOfStream = `coalesce((SELECT version FROM stream_heads WHERE stream = 'execution-' || enforcement), 0)`;

/** What is counted for a run whose holder is gone. Of one that has recorded something meanwhile, the next one begins anew. */
const diedAfterLoss = `CASE WHEN at_version = ${lengthOfStream} THEN died + 1 ELSE 0 END`;

/**
 * $1 who, $2 how many, $3 for how long, $4 those that are carried on already, $5 whether one with which processes have ended may be among
 * them. One row more than runs: of the others. What ran out is counted also where the run is left to another process.
 */
const CLAIM = `
  WITH due AS (
    SELECT enforcement, next_step_at, ${lengthOfStream} AS version,
           CASE WHEN lease_until < now() AND lease_owner <> $1 THEN ${diedAfterLoss} ELSE died END AS died
    FROM executions
    WHERE ((lease_until IS NULL AND next_step_at <= now()) OR lease_until < now() OR lease_owner = $1)
      AND (died = 0 OR $5) AND enforcement <> ALL ($4::text[])
    ORDER BY executions.died DESC, next_step_at LIMIT $2 FOR UPDATE SKIP LOCKED
  ), taken AS (
    SELECT enforcement FROM due WHERE died = 0
    UNION ALL
    (SELECT enforcement FROM due WHERE died > 0 AND $5 ORDER BY died DESC, next_step_at LIMIT 1)
  ), claimed AS (
    UPDATE executions e SET lease_owner = $1, lease_until = now() + make_interval(secs => $3), next_step_at = 'infinity',
      died = due.died, at_version = due.version
    FROM due JOIN taken USING (enforcement) WHERE e.enforcement = due.enforcement
    RETURNING e.enforcement, partition, queue, fencing_token, e.died
  ), left_over AS (
    UPDATE executions e SET lease_owner = NULL, lease_until = NULL, next_step_at = now(), died = due.died
    FROM due WHERE e.enforcement = due.enforcement AND due.enforcement NOT IN (SELECT enforcement FROM taken)
  )
  SELECT enforcement, partition, queue, fencing_token, died, NULL::float8 AS ms FROM claimed
  UNION ALL
  SELECT NULL, NULL, NULL, NULL, NULL,
         extract(epoch FROM min(least(
           CASE WHEN lease_until IS NULL THEN nullif(next_step_at, 'infinity') END, lease_until)) - now())::float8 * 1000
  FROM executions
  WHERE enforcement NOT IN (SELECT enforcement FROM due) AND (died = 0 OR lease_until IS NOT NULL)`;

/** A run with which so many processes have ended, one after the other, is not loaded any more. */
export const mostDeaths = 3;

const holdMs = 15_000;
/** A hold that was renewed so recently cannot have been lost: nobody is asked. */
const surelyHeldMs = holdMs / 3;

/**
 * The runs that are not over, as work to be done: each has the moment of its next step, and at most one process holds it.
 * A process that dies loses its hold when the time is over; the run goes on from its stream, wherever it was.
 */
@Injectable()
export class OpenExecutions {
  /** Names this process as the holder of runs. */
  readonly owner = randomUUID();
  /** When a hold was last asked for, by a clock that only goes forward. */
  private readonly renewedAt = new Map<string, number>();

  constructor(@Inject(DataSource) private readonly db: DataSource) {}

  /** Adds runs; their first steps are due at once. */
  async add(tx: Tx, executions: OpenExecution[]): Promise<void> {
    if (executions.length === 0) return;
    await tx.query(
      `INSERT INTO executions (enforcement, partition, queue, fencing_token, next_step_at)
       SELECT *, now() FROM unnest($1::text[], $2::text[], $3::text[], $4::bigint[]) ON CONFLICT DO NOTHING`,
      [
        executions.map((execution) => execution.enforcement),
        executions.map((execution) => execution.partition),
        executions.map((execution) => execution.queue),
        executions.map((execution) => execution.fencingToken),
      ],
    );
  }

  /** Adds the run of a plan that processes end with when they read it: it is over with its first step, without being loaded. */
  async addGivenUp(tx: Tx, planComputed: Pick<StoredEvent, 'id'>): Promise<void> {
    await tx.query(
      `INSERT INTO executions (enforcement, partition, queue, fencing_token, next_step_at, died)
       SELECT data->>'enforcement', partition, data->>'queue', (data->>'fencingToken')::bigint, now(), $2
       FROM (${eventById('$1')}) plan ON CONFLICT DO NOTHING`,
      [planComputed.id, mostDeaths],
    );
  }

  /** Something happened that a run may wait for. A run that is held looks again when it is let go. */
  async touch(tx: Tx, which: { enforcement: string } | { partition: string }): Promise<void> {
    const [column, value] =
      'enforcement' in which ? ['enforcement', which.enforcement] : ['partition', which.partition];
    await tx.query(
      `WITH touched AS (
         -- In the order in which the gate of evictions locks them: of two that want several rows, none waits for the other.
         SELECT enforcement FROM executions WHERE ${column} = $1 ORDER BY enforcement FOR NO KEY UPDATE
       )
       UPDATE executions SET next_step_at = least(coalesce(next_step_at, 'infinity'), now())
       WHERE enforcement IN (SELECT enforcement FROM touched)`,
      [value],
    );
  }

  /**
   * Takes hold of runs whose next step is due, or whose holder is gone.
   *
   * A process that ends takes all with it that it holds, and which run it ended with nobody knows. So the loss counts for all of them that
   * have recorded nothing, and of those a process carries on one at a time.
   *
   * @param carried what this process carries on now, which it must not take a second time however long a step takes. What it
   *   holds besides fell out of its hands when the database was away: it takes that back at once, not when the hold is over.
   * @param mayTakeSuspect whether one run with which processes have ended may be among them: the one with the most deaths.
   */
  async claim(limit: number, carried: string[], mayTakeSuspect = true): Promise<Claim> {
    const asked = performance.now();
    const rows: ClaimRow[] = await this.db.query(CLAIM, [
      ...[this.owner, limit, holdMs / 1000, carried, mayTakeSuspect],
    ]);
    const runs = rows.filter((row) => row.enforcement !== null);
    for (const { enforcement } of runs) this.renewedAt.set(enforcement, asked);
    return {
      runs: runs.map(({ enforcement, partition, queue, fencing_token, died }) => ({
        enforcement,
        partition,
        queue,
        fencingToken: Number(fencing_token),
        deaths: died,
      })),
      nextDueInMs: rows.find((row) => row.enforcement === null)?.ms ?? undefined,
    };
  }

  /** @returns false if the hold was lost: somebody else has the run, and nothing may be done for it any more. */
  async keepHold(enforcement: string): Promise<boolean> {
    const asked = performance.now();
    if (asked - (this.renewedAt.get(enforcement) ?? -Infinity) < surelyHeldMs) return true;
    const [, kept]: [unknown, number] = await this.db.query(
      `UPDATE executions SET lease_until = now() + make_interval(secs => $3) WHERE enforcement = $1 AND lease_owner = $2`,
      [enforcement, this.owner, holdMs / 1000],
    );
    if (kept === 1) this.renewedAt.set(enforcement, asked);
    else this.renewedAt.delete(enforcement);
    return kept === 1;
  }

  /** The hold turned out to be lost: the next question about it goes to the database. */
  doubtHold(enforcement: string): void {
    this.renewedAt.delete(enforcement);
  }

  /**
   * Lets a run go until its next step, or until it is touched. A span, since the clock of the database may be another.
   *
   * @param options.forgetDeaths this process has carried the run on, and lives.
   */
  async letGo(
    enforcement: string,
    untilNextStepMs: number,
    { forgetDeaths }: { forgetDeaths: boolean },
  ): Promise<void> {
    this.renewedAt.delete(enforcement);
    await this.db.query(
      `UPDATE executions SET lease_owner = NULL, lease_until = NULL, died = CASE WHEN $4 THEN 0 ELSE died END,
         next_step_at = least(next_step_at, now() + make_interval(secs => $3))
       WHERE enforcement = $1 AND lease_owner = $2`,
      [enforcement, this.owner, Math.max(0, untilNextStepMs) / 1000, forgetDeaths],
    );
  }

  /** In the transaction that records their ends. */
  async remove(tx: Tx, enforcements: string[]): Promise<void> {
    if (enforcements.length === 0) return;
    for (const enforcement of enforcements) this.renewedAt.delete(enforcement);
    await tx.query(
      `WITH over AS (DELETE FROM executions WHERE enforcement = ANY ($1))
       DELETE FROM planned_victims WHERE enforcement = ANY ($1)`,
      [enforcements],
    );
  }

  /** Says for all open runs, but for those that are `stuck`, that somebody will carry them out. */
  async renewLocks(leaseMs: number, stuck: string[] = []): Promise<void> {
    await this.db.query(
      `UPDATE schedules s SET lease_until = now() + make_interval(secs => $1)
       FROM executions e
       WHERE s.partition = e.partition AND s.queue = e.queue AND s.running_enforcement = e.enforcement
         AND s.fencing_token = e.fencing_token AND e.enforcement <> ALL ($2::text[])`,
      [leaseMs / 1000, stuck],
    );
    await this.db.query(
      `UPDATE rounds r SET lease_until = now() + make_interval(secs => $1)
       FROM executions e
       WHERE r.partition = e.partition AND r.enforcement = e.enforcement AND r.state = 'executing'
         AND e.enforcement <> ALL ($2::text[])`,
      [leaseMs / 1000, stuck],
    );
  }

  /** Takes back what a dead process held; only for a process that knows it is the only one. */
  async takeOverAll(): Promise<void> {
    await this.db.query(
      `UPDATE executions SET lease_owner = NULL, lease_until = NULL, next_step_at = now(),
         died = CASE WHEN lease_owner IS NULL THEN died ELSE ${diedAfterLoss} END`,
    );
  }
}
