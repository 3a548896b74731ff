import type { DataSource } from 'typeorm';
import { assertPartition } from '#clusters';
import { clockKind, type DomainEvent, partitionOption } from '#contracts';
import { type ChangeDecided, type ChangeEffect, mostGroups } from '#contracts/api';
import { AT, appendNextToEach, controlStream, operatorStream, type Tx } from '#event-store';
import { AWAITS_APPROVAL, DECISION_ON, type Decision, isInForce, saveDecision } from '#holds';
import { ProblemException } from '#platform';
import { lockCommands, recordCommand } from '../commands/record-command.js';
import { FORESIGHT_OF } from '../queries/foresight-of.js';
import { assertNoneFrozen, assertWaits, type KnownRun, type RunOfCommand } from './may-approve.js';

/** Runs in one transaction: it holds a lock for each. */
const runsAtOnce = 500;

interface RunOfChange extends RunOfCommand {
  /** Absent: not queried. */
  waits?: boolean;
}

/** One approval or rejection of all runs that a version of a configuration causes. docs/how-to/ceilings.md */
export class Changes {
  constructor(private readonly db: DataSource) {}

  /**
   * Approves or rejects all runs of the version: those that wait now, and those that are still to start. The decision is read again
   * before each page of evictions, and by the eviction gate, so a run that is planned at this moment follows it too. It is in force at
   * once; the record of each run follows. There may be very many runs, and a stop must not wait for them.
   *
   * @param waiting the run that the command names: it must still wait when the decision is made.
   * @throws ProblemException 404 for an unknown version, or 409 if a queue of a run that would begin to evict is frozen.
   */
  async decide(command: Decision, waiting?: KnownRun): Promise<ChangeDecided> {
    const { partition, version, approved } = command;
    await assertKnownVersion(this.db, partition, version);
    const runs = approved
      ? await runsOf(this.db, partition, version)
      : await this.db.query<RunOfChange[]>(RUNS_OF_VERSION, [partition, version]);
    const concerned = runs.filter(({ waits = true }) => waits);
    const { until, decidedAt } = await this.record(command, runs.length, concerned, waiting);
    for (let from = 0; from < concerned.length; from += runsAtOnce) {
      const isInForce = await this.recordInRuns(command, decidedAt, concerned.slice(from, from + runsAtOnce));
      if (!isInForce) break;
    }
    return { partition, version, approved, runs: runs.length, until };
  }

  /** @returns `until`: when an approval ends; null for a rejection. */
  private async record(
    command: Decision,
    runs: number,
    concerned: readonly RunOfChange[],
    waiting: KnownRun | undefined,
  ): Promise<{ until: string | null; decidedAt: string }> {
    const { partition, version, approved, by, reason } = command;
    const place = { partition, stream: controlStream(partition), key: partition };
    const alsoLocked = waiting ? [operatorStream(waiting.enforcement)] : [];
    return recordCommand(this.db, { ...place, alsoLocked }, async (tx) => {
      if (waiting) await assertWaits(tx, waiting);
      if (approved) await assertNoneFrozen(tx, partition, concerned);
      const [last] = await tx.query<{ due: Date | null }[]>(
        `SELECT max(due_at) AS due FROM (${PENDING}) AS pending`,
        [partition, version],
      );
      const { until: end, decidedAt } = await saveDecision(tx, command, last!.due);
      const until = end?.toISOString() ?? null;
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
      return { event, answer: { until, decidedAt } };
    });
  }

  /** @returns false: another decision has replaced this one, and nothing was recorded. */
  private async recordInRuns(
    command: Decision,
    decidedAt: string,
    runs: readonly RunOfChange[],
  ): Promise<boolean> {
    const { partition } = command;
    return this.db.transaction(async (tx) => {
      await lockCommands(tx, ...runs.map(({ enforcement }) => operatorStream(enforcement)));
      if (!(await isInForce(tx, command, decidedAt))) return false;
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

function eventFor({ partition, version, approved, by, reason }: Decision, run: RunOfChange): DomainEvent {
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

const runsOf = (db: DataSource | Tx, partition: string, version: number) =>
  db.query<RunOfChange[]>(RUNS, [partition, version]);

/** $1 partition, $2 version. */
const RUNS = `
  SELECT enforcement, queue, ${AWAITS_APPROVAL('enforcement')} AS waits
  FROM runs WHERE partition = $1 AND configuration = $2 ORDER BY enforcement`;

/** $1 partition, $2 version. A rejection must not wait for what each of them waits for. */
const RUNS_OF_VERSION =
  'SELECT enforcement, queue FROM runs WHERE partition = $1 AND configuration = $2 ORDER BY enforcement';

/** $1 partition, $2 version. */
const PENDING = `
  SELECT s.queue, t.due_at, s.state #>> '{pending,enforcement}' AS enforcement
  FROM configurations c
    JOIN clocks s ON s.partition = c.partition AND s.config_version > coalesce(c.previous, 0) AND s.config_version <= c.version
    JOIN timers t ON t.partition = s.partition AND t.name = s.queue AND t.kind = '${clockKind}'
  WHERE c.partition = $1 AND c.version = $2`;

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
    FROM runs run JOIN planned_victims v ON v.enforcement = run.enforcement
    WHERE run.partition = $1 AND run.configuration = $2
  ), pending AS (${PENDING})
  SELECT ${DECISION_ON('$1', '$2')} AS decision,
         (SELECT count(*)::int FROM recent_victims WHERE partition = $1 AND configuration = $2) AS evicted,
         json_build_object('victims', (SELECT count(*) FROM victims), 'resources', ${RESOURCES('true')}) AS planned,
         ${GROUPS('queue')} AS queues,
         ${GROUPS('owner')} AS owners,
         (SELECT coalesce(json_agg(json_build_object('queue', queue, 'dueAt', ${AT('due_at')},
                                                   'foresight', ${FORESIGHT_OF({ partition: '$1', queue: 'first.queue', enforcement: 'first.enforcement' })})
                                 ORDER BY due_at, queue), '[]')
          FROM (SELECT * FROM pending ORDER BY due_at, queue LIMIT $3) AS first) AS clocks,
         greatest((SELECT count(*)::int FROM pending) - $3::int, 0) AS "moreClocks"`;
