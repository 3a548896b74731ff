import { type RunStatus, waitingForApproval } from '#contracts';
import { typesOf } from '#contracts/events';
import { enforcementStream, operatorStream, type Tx } from '#event-store';
import { CHANGE_OF } from './decisions.js';

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
         ${eventsIn(`'${enforcementStream('')}' || ${enforcement}`, [...held, ...typesOf('EnforcementOpened')])}) AS needed,
        (SELECT count(*) > 0 AS any, coalesce(bool_or(data ->> 'ceilings' = 'true'), false) AS ceilings
         ${eventsIn(`'${operatorStream('')}' || ${enforcement}`, typesOf('PlanApproved'))}) AS given)`;

/** What a command on a run is decided by. */
export interface DecidedRun {
  /** `waitingForApproval`: it can be approved and rejected. undefined: it is not open. */
  status: RunStatus | undefined;
}

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
