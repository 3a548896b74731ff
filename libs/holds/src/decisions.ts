import type { DataSource } from 'typeorm';
import { type RunStatus, waitingForApproval } from '#contracts';
import { typesOf } from '#contracts/events';
import { AT, operatorStream, runStream, type Tx } from '#event-store';

/** An approval holds for this long after the last of its clocks that are pending is due. */
const heldHours = 24;

/** A decision of an operator about all runs that one version of a configuration causes. */
export interface Decision {
  partition: string;
  version: number;
  approved: boolean;
  by: string;
  reason: string | undefined;
}

/** The rejection that a run follows. */
export interface RejectedChange {
  /** The version of the configuration. */
  configuration: number;
  by: string;
}

/**
 * What was decided about all runs of the configuration of a run, as JSON: a `ChangeDecision` while it is in force, or null.
 *
 * @param enforcement SQL.
 */
export const CHANGE_OF = (enforcement: string) => `
  (SELECT json_strip_nulls(json_build_object('configuration', d.configuration, 'approved', d.approved,
                                             'by', d.decided_by, 'reason', d.reason))
   FROM runs e JOIN configuration_decisions d USING (partition, configuration)
   WHERE e.enforcement = ${enforcement} AND (d.until IS NULL OR d.until > clock_timestamp()))`;

/**
 * What was decided about a version of a configuration, as JSON for the API; null: nothing that is in force.
 *
 * @param partition, version SQL.
 */
export const DECISION_ON = (partition: string, version: string) => `
  (SELECT json_build_object('approved', approved, 'by', decided_by, 'reason', reason, 'at', ${AT('decided_at')}, 'until', ${AT('until')})
   FROM configuration_decisions
   WHERE partition = ${partition} AND configuration = ${version} AND (until IS NULL OR until > clock_timestamp()))`;

/**
 * Puts a decision in the place of the one before.
 *
 * @param lastDue when the last pending clock of the version is due; null: there is none.
 * @returns `until`: when an approval ends, null for a rejection; `decidedAt` with all digits of the database.
 */
export async function saveDecision(
  tx: Tx,
  { partition, version, approved, by, reason }: Decision,
  lastDue: Date | null,
): Promise<{ until: Date | null; decidedAt: string }> {
  const rows = await tx.query<{ until: Date | null; decidedAt: string }[]>(
    `INSERT INTO configuration_decisions (partition, configuration, approved, decided_by, reason, decided_at, until)
     VALUES ($1, $2, $3, $4, $5, clock_timestamp(),
             CASE WHEN $3 THEN date_trunc('milliseconds', greatest(clock_timestamp(), $6::timestamptz) + make_interval(hours => $7)) END)
     ON CONFLICT (partition, configuration) DO UPDATE
       SET approved = excluded.approved, decided_by = excluded.decided_by, reason = excluded.reason,
           decided_at = excluded.decided_at, until = excluded.until
     RETURNING until, decided_at::text AS "decidedAt"`,
    [partition, version, approved, by, reason ?? null, lastDue, heldHours],
  );
  return rows[0]!;
}

/** Whether no other decision has replaced that of a moment. None does until the transaction ends. */
export async function isInForce(
  tx: Tx,
  { partition, version }: Pick<Decision, 'partition' | 'version'>,
  decidedAt: string,
): Promise<boolean> {
  const found = await tx.query<unknown[]>(
    `SELECT FROM configuration_decisions
     WHERE partition = $1 AND configuration = $2 AND decided_at = $3::timestamptz FOR SHARE`,
    [partition, version, decidedAt],
  );
  return found.length > 0;
}

/** The rejection of the configuration that a run of a queue would have as its cause; undefined without one. */
export async function findRejectedChange(
  db: DataSource | Tx,
  partition: string,
  queue: string,
): Promise<RejectedChange | undefined> {
  const rows: RejectedChange[] = await db.query(
    `SELECT d.configuration, d.decided_by AS by
     FROM clocks s,
       LATERAL (SELECT version, previous FROM configurations c
                WHERE c.partition = s.partition AND c.version >= s.config_version ORDER BY c.version LIMIT 1) AS c
       JOIN configuration_decisions d ON d.configuration = c.version
     WHERE s.partition = $1 AND s.queue = $2 AND coalesce(c.previous, 0) < s.config_version AND d.partition = s.partition AND NOT d.approved`,
    [partition, queue],
  );
  return rows[0];
}

/** SQL of an array of texts. */
const arrayOf = (texts: readonly string[]) => `'{${texts.join()}}'::text[]`;
/** SQL of the events of some types in a stream. */
const eventsIn = (stream: string, types: readonly string[]) =>
  `FROM events WHERE stream = ${stream} AND type = ANY (${arrayOf(types)})`;

const held = typesOf('EnforcementHeld');

/**
 * Whether a run that is carried out waits for an approval: it needs one since its opening, or since a ceiling held it, and has none that
 * counts. One from before the hold, which was given for the size of the plan, does not lift a ceiling. As `awaitsApproval` of the run's
 * state, without its plan.
 *
 * @param enforcement SQL.
 */
export const AWAITS_APPROVAL = (enforcement: string) => `
  (SELECT needed.at_hold AND NOT given.ceilings OR needed.at_opening AND NOT given.any
   FROM (SELECT coalesce(bool_or(type = ANY (${arrayOf(held)})), false) AS at_hold,
                coalesce(bool_or((data ->> 'needsApproval')::boolean), false) AS at_opening
         ${eventsIn(`'${runStream('')}' || ${enforcement}`, [...held, ...typesOf('EnforcementOpened')])}) AS needed,
        (SELECT count(*) > 0 AS any, coalesce(bool_or(data ->> 'ceilings' = 'true'), false) AS ceilings
         ${eventsIn(`'${operatorStream('')}' || ${enforcement}`, typesOf('PlanApproved'))}) AS given)`;

interface Facts {
  waits: boolean;
  approved: boolean;
  rejected: boolean;
  cancelled: boolean;
  change: { approved: boolean } | null;
}

/**
 * The status of an open run, in the transaction of a command that holds the lock of the run's commands: no other command approves, rejects or cancels
 * it before the transaction ends, and it does not end before that either.
 *
 * @returns undefined: the run is not open. It has ended, or has no plan yet.
 */
export async function statusOfOpenRun(tx: Tx, enforcement: string): Promise<RunStatus | undefined> {
  // A statement of its own: the next one sees the end that this one may have waited for.
  const [open] = await tx.query<unknown[]>('SELECT FROM runs WHERE enforcement = $1 FOR KEY SHARE', [
    enforcement,
  ]);
  if (!open) return undefined;
  const has = (name: 'PlanApproved' | 'PlanRejected' | 'CancelRequested') =>
    `EXISTS (SELECT ${eventsIn('$2', typesOf(name))})`;
  const [facts] = await tx.query<[Facts]>(
    `SELECT ${AWAITS_APPROVAL('$1')} AS waits, ${has('PlanApproved')} AS approved, ${has('PlanRejected')} AS rejected,
            ${has('CancelRequested')} AS cancelled, ${CHANGE_OF('$1')} AS change`,
    [enforcement, operatorStream(enforcement)],
  );
  if (facts.cancelled) return 'cancelled';
  if (facts.rejected || facts.change?.approved === false) return 'rejected';
  if (facts.waits && !facts.change) return waitingForApproval;
  return facts.approved || facts.change ? 'approved' : 'executing';
}
