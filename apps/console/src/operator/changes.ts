import type { DataSource } from 'typeorm';
import { assertPartition } from '#clusters';
import { clockKind, type DomainEvent, partitionOption } from '#contracts';
import { type ChangeDecided, type ChangeEffect, mostGroups } from '#contracts/api';
import { typesOf } from '#contracts/events';
import { stoppedBy } from '#enforcement';
import { appendNextToEach, controlStream, enforcementStream, operatorStream, type Tx } from '#event-store';
import { FREEZES_OF, type Freeze, frozenAt } from '#freezes';
import { ProblemException } from '#platform';
import { lockCommands, recordCommand } from '../commands/record-command.js';
import { AT, FORESIGHT_OF } from '../queries/foresight-of.js';

/** An approval holds for this long after the last of its clocks that are pending is due. */
const heldHours = 24;
/** Runs in one transaction: it holds a lock for each. */
const runsAtOnce = 500;

/** A decision about all runs that one version of a configuration causes. */
export interface ChangeCommand {
  partition: string;
  version: number;
  approved: boolean;
  by: string;
  reason: string | undefined;
}

interface RunOfChange {
  enforcement: string;
  queue: string;
  /** Absent: not queried. */
  waits?: boolean;
}

interface Decision {
  until: string | null;
  /** With all digits of the database. */
  decidedAt: string;
}

/** One approval or rejection of all runs that a version of a configuration causes. docs/how-to/ceilings.md */
export class Changes {
  constructor(private readonly db: DataSource) {}

  /**
   * Approves or rejects all runs of the version: those that wait now, and those that are still to start. The decision is read again
   * before each page of evictions, and by the eviction gate, so a run that is planned at this moment follows it too. It is in force at
   * once; the record of each run follows. There may be very many runs, and a stop must not wait for them.
   *
   * @throws ProblemException 404 for an unknown version, or 409 if a queue of a run that would begin to evict is frozen.
   */
  async decide(command: ChangeCommand): Promise<ChangeDecided> {
    const { partition, version, approved } = command;
    await assertKnownVersion(this.db, partition, version);
    const runs = approved
      ? await runsOf(this.db, partition, version)
      : await this.db.query<RunOfChange[]>(RUNS_OF_VERSION, [partition, version]);
    const concerned = runs.filter(({ waits = true }) => waits);
    const { until, decidedAt } = await this.record(command, runs.length, concerned);
    for (let from = 0; from < concerned.length; from += runsAtOnce) {
      const isInForce = await this.recordInRuns(command, decidedAt, concerned.slice(from, from + runsAtOnce));
      if (!isInForce) break;
    }
    return { partition, version, approved, runs: runs.length, until };
  }

  /** @returns `until`: when an approval ends; null for a rejection. */
  private async record(
    { partition, version, approved, by, reason }: ChangeCommand,
    runs: number,
    concerned: readonly RunOfChange[],
  ): Promise<Decision> {
    const place = { partition, stream: controlStream(partition), key: partition };
    return recordCommand(this.db, place, async (tx) => {
      if (approved) await assertNoneFrozen(tx, partition, concerned);
      const [row] = await tx.query<{ until: Date | null; decidedAt: string }[]>(DECIDE, [
        ...[partition, version, approved, by, reason ?? null, heldHours],
      ]);
      const until = row!.until?.toISOString() ?? null;
      const decided = {
        partition,
        configuration: version,
        by,
        runs,
        ...(reason !== undefined && { reason }),
      };
      const event: DomainEvent =
        until === null
          ? { name: 'ConfigurationRejected', data: decided }
          : { name: 'ConfigurationApproved', data: { ...decided, until } };
      return { event, answer: { until, decidedAt: row!.decidedAt } };
    });
  }

  /** @returns false: another decision has replaced this one, and nothing was recorded. */
  private async recordInRuns(
    command: ChangeCommand,
    decidedAt: string,
    runs: readonly RunOfChange[],
  ): Promise<boolean> {
    const { partition, version } = command;
    return this.db.transaction(async (tx) => {
      await lockCommands(tx, ...runs.map(({ enforcement }) => operatorStream(enforcement)));
      const inForce = await tx.query<unknown[]>(IN_FORCE, [partition, version, decidedAt]);
      if (inForce.length === 0) return false;
      await appendNextToEach(
        tx,
        runs.map((run) => ({
          stream: operatorStream(run.enforcement),
          partition,
          events: [{ event: eventFor(command, run), key: run.queue }],
        })),
      );
      return true;
    });
  }

  /** @throws ProblemException 404 for an unknown version. */
  async effect(partition: string, version: number): Promise<ChangeEffect> {
    await assertKnownVersion(this.db, partition, version);
    const [row] = await this.db.query<ChangeEffect[]>(EFFECT, [partition, version, mostGroups]);
    const runs = await runsOf(this.db, partition, version);
    const waiting = runs.filter(({ waits }) => waits).length;
    return { ...row!, partition, version, runs: { open: runs.length, waiting } };
  }
}

function eventFor(
  { partition, version, approved, by, reason }: ChangeCommand,
  run: RunOfChange,
): DomainEvent {
  const data = { partition, queue: run.queue, enforcement: run.enforcement, by };
  return approved
    ? { name: 'PlanApproved', data: { ...data, ceilings: true, configuration: version } }
    : { name: 'PlanRejected', data: { ...data, ...(reason !== undefined && { reason }) } };
}

async function assertKnownVersion(db: DataSource | Tx, partition: string, version: number): Promise<void> {
  const found = await db.query<unknown[]>(
    'SELECT FROM configurations WHERE partition = $1 AND version = $2',
    [partition, version],
  );
  if (found.length > 0) return;
  await assertPartition(db, partition);
  throw new ProblemException({
    code: 'unknown-version',
    title: 'There is no such version',
    status: 404,
    detail: `Partition ${partition} has no version ${version} of its configuration.`,
    remedy: `List them: curtail get configurations${partitionOption(partition)}`,
  });
}

/** An approval would begin evictions in the freeze. */
async function assertNoneFrozen(tx: Tx, partition: string, runs: readonly RunOfChange[]): Promise<void> {
  const rows = await tx.query<{ freezes: Freeze[]; now: Date }[]>(
    `SELECT ${FREEZES_OF('$1')} AS freezes, clock_timestamp() AS now`,
    [partition],
  );
  const { freezes, now } = rows[0]!;
  for (const { enforcement, queue } of runs) {
    const frozen = frozenAt(queue, freezes, now.getTime());
    if (!frozen) continue;
    throw new ProblemException({
      code: 'frozen',
      title: 'A queue is frozen',
      status: 409,
      detail: `Run ${enforcement} of ${queue} cannot be approved. ${stoppedBy(frozen.freeze)}`,
      remedy: `Approve afterwards, or clear the freeze: curtail get freezes${partitionOption(partition)}`,
    });
  }
}

async function runsOf(db: DataSource | Tx, partition: string, version: number): Promise<RunOfChange[]> {
  return db.query<RunOfChange[]>(RUNS, [
    ...[partition, version, enforcementStream(''), operatorStream('')],
    ...[typesOf('EnforcementHeld'), typesOf('EnforcementOpened'), typesOf('PlanApproved')],
  ]);
}

/**
 * $1 partition, $2 version, $3 and $4 prefixes of streams, $5 held, $6 opened, $7 approved. A run waits if it needs an approval since its
 * opening or since it was held, and has none that counts.
 */
const RUNS = `
  SELECT enforcement, queue, waits.held AND NOT approved.ceilings OR waits.opened AND NOT approved.given AS waits
  FROM executions run,
    LATERAL (SELECT coalesce(bool_or(type = ANY ($5::text[])), false) AS held,
                    coalesce(bool_or((data->>'needsApproval')::boolean), false) AS opened
             FROM events WHERE stream = $3 || enforcement AND (type = ANY ($5::text[]) OR type = ANY ($6::text[]))) AS waits,
    LATERAL (SELECT count(*) > 0 AS given, coalesce(bool_or(data->>'ceilings' = 'true'), false) AS ceilings
             FROM events WHERE stream = $4 || enforcement AND type = ANY ($7::text[])) AS approved
  WHERE run.partition = $1 AND run.configuration = $2 ORDER BY enforcement`;

/** $1 partition, $2 version. A rejection must not wait for what each of them waits for. */
const RUNS_OF_VERSION =
  'SELECT enforcement, queue FROM executions WHERE partition = $1 AND configuration = $2 ORDER BY enforcement';

/** $1 partition, $2 version. */
const PENDING = `
  SELECT s.queue, t.due_at, s.state #>> '{pending,enforcement}' AS enforcement
  FROM configurations c
    JOIN schedules s ON s.partition = c.partition AND s.config_version > coalesce(c.previous, 0) AND s.config_version <= c.version
    JOIN timers t ON t.partition = s.partition AND t.name = s.queue AND t.kind = '${clockKind}'
  WHERE c.partition = $1 AND c.version = $2`;

/** $3 approved, $4 by, $5 reason, $6 hours. */
const DECIDE = `
  INSERT INTO configuration_decisions (partition, configuration, approved, decided_by, reason, decided_at, until)
  VALUES ($1, $2, $3, $4, $5, clock_timestamp(),
          CASE WHEN $3 THEN date_trunc('milliseconds', greatest(clock_timestamp(), (SELECT max(due_at) FROM (${PENDING}) AS pending))
                                                       + make_interval(hours => $6)) END)
  ON CONFLICT (partition, configuration) DO UPDATE
    SET approved = excluded.approved, decided_by = excluded.decided_by, reason = excluded.reason,
        decided_at = excluded.decided_at, until = excluded.until
  RETURNING until, decided_at::text AS "decidedAt"`;

/** $1 partition, $2 version, $3 when it was decided. Another decision waits until the transaction ends, so none comes between. */
const IN_FORCE = `
  SELECT FROM configuration_decisions
  WHERE partition = $1 AND configuration = $2 AND decided_at = $3::timestamptz FOR SHARE`;

/** Resources by type of rows of \`victims\`. */
const RESOURCES = (condition: string) => `
  (SELECT coalesce(json_object_agg(type, amount), '{}')
   FROM (SELECT type, least(sum(amount::numeric), ${Number.MAX_SAFE_INTEGER})::bigint AS amount
         FROM victims v, jsonb_each_text(v.resources) AS of (type, amount) WHERE ${condition} GROUP BY type) AS sums)`;

const GROUPS = (column: 'queue' | 'owner') => `
  (SELECT coalesce(json_agg(json_build_object('${column}', name, 'victims', count,
                                              'resources', ${RESOURCES(`coalesce(v.${column}, '') = name`)})
                            ORDER BY count DESC, name), '[]')
   FROM (SELECT coalesce(${column}, '') AS name, count(*)::int AS count FROM victims
         GROUP BY 1 ORDER BY count(*) DESC, 1 LIMIT $3) AS groups)`;

/** $3 the maximum number of groups. */
const EFFECT = `
  WITH victims AS MATERIALIZED (
    SELECT v.queue, v.owner, v.resources
    FROM executions run JOIN planned_victims v ON v.enforcement = run.enforcement
    WHERE run.partition = $1 AND run.configuration = $2
  ), pending AS (${PENDING})
  SELECT (SELECT json_build_object('approved', approved, 'by', decided_by, 'reason', reason, 'at', ${AT('decided_at')}, 'until', ${AT('until')})
          FROM configuration_decisions WHERE partition = $1 AND configuration = $2
            AND (until IS NULL OR until > clock_timestamp())) AS decision,
         (SELECT count(*)::int FROM recent_victims WHERE partition = $1 AND configuration = $2) AS evicted,
         json_build_object('victims', (SELECT count(*) FROM victims), 'resources', ${RESOURCES('true')}) AS planned,
         ${GROUPS('queue')} AS queues,
         ${GROUPS('owner')} AS owners,
         (SELECT coalesce(json_agg(json_build_object('queue', queue, 'dueAt', ${AT('due_at')},
                                                   'foresight', ${FORESIGHT_OF({ partition: '$1', queue: 'first.queue', enforcement: 'first.enforcement' })})
                                 ORDER BY due_at, queue), '[]')
          FROM (SELECT * FROM pending ORDER BY due_at, queue LIMIT $3) AS first) AS clocks,
         greatest((SELECT count(*)::int FROM pending) - $3::int, 0) AS "moreClocks"`;
