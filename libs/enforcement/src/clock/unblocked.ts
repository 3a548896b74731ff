import {
  type Blocker,
  counted,
  type EventData,
  ofEnforcement,
  pauseAfter,
  type RunFailures,
  type Unblocked,
} from '#contracts';
import { addMs } from '../instants.js';
import { mayPass } from '../run/blockers.js';
import { evictionFailed } from '../run/tally.js';
import type { EndRun } from './commands.js';
import { clockNotices } from './notices.js';
import type { ClockState, LastRun } from './state.js';

/* Runs that follow one that fell short: docs/reference/policies/quota-decrease.md §3.12. */

const pauseMs = { first: 60_000, longest: 3_600_000 };

/** Before the n-th run that tries again: doubled with each, up to an hour. */
export const pauseBefore = (attempt: number): number => pauseAfter(attempt, pauseMs);

type Scheduled = EventData<'EnforcementScheduled'>;
type NextClock = { dueAt: string; cause: 'unblocked' } & Pick<Scheduled, 'notices' | 'unblocked'>;

/** The clock after a run with victims that stayed, and may go or be replaced after a pause; undefined: there are none. */
export function tryAgainLater(
  { at, enforcement, blocked = [], retryUnblocked = false }: EndRun,
  { queue, running }: ClockState,
): NextClock | undefined {
  // Victims that a stop kept would be chosen again without the delay that follows a stop.
  const isStopped = blocked.some(({ code }) => code === 'stopped');
  const why = retryUnblocked && !isStopped ? blocked.find(mayPass) : undefined;
  if (!why) return undefined;
  const attempt = (running?.unblocked?.attempt ?? 0) + 1;
  const dueAt = addMs(at, pauseBefore(attempt));
  const { code } = why;
  const what =
    code === evictionFailed
      ? 'evictions that failed are replaced by others, or else requested again'
      : 'victims that stayed are replaced by others, or else chosen again';
  const message = `After ${pauseBefore(attempt) / 1000} s, ${what}.`;
  const notices = [clockNotices.againAfterBlocked(queue, enforcement, why.message, dueAt)];
  return { dueAt, cause: 'unblocked', notices, unblocked: { after: enforcement, attempt, code, message } };
}

/**
 * The clock of a queue whose last run fell short, and now could evict more. It is due at once: the delay has been served. Where such a run
 * has evicted nothing, the next one waits for a growing pause, since something else than what is known blocks it.
 */
export function tryAgainNow(
  at: string,
  { enforcement, attempt = 0, blocked = [] }: LastRun,
  message: string,
  queue: string,
): NextClock {
  const dueAt = attempt === 0 ? at : addMs(at, pauseBefore(attempt));
  const [first] = blocked;
  const notices = [clockNotices.unblocked(queue, enforcement, message, dueAt)];
  const unblocked: Unblocked = {
    after: enforcement,
    attempt: attempt + 1,
    code: first?.code ?? 'unblocked',
    message,
  };
  return { dueAt, cause: 'unblocked', notices, unblocked };
}

const givenUp = 'retries-exhausted';

/** What is known after the last retry: nothing but that no run has come to a decision. §3.4 */
export function cameToNothing(enforcement: string, { count, since }: RunFailures): Blocker {
  const message = `${counted(count, 'run has', 'runs have')} failed since ${since} without an eviction, the last one ${enforcement}.`;
  return { code: givenUp, message, about: ofEnforcement(enforcement) };
}

/** Whether the queue's runs came to nothing until no retry followed any more. What such a run leaves is not on record. */
export const hasGivenUp = ({ outcome, blocked }: LastRun): boolean =>
  outcome === 'failed' && blocked?.some(({ code }) => code === givenUp) === true;

/** Whether a run left its queue above its quota for reasons that may change by themselves, and no one decided that it should. */
export const isBlocked = (
  lastRun: LastRun | undefined,
): lastRun is LastRun & { blocked: readonly Blocker[] } =>
  lastRun?.blocked !== undefined &&
  (lastRun.outcome === 'best-effort' || lastRun.outcome === 'impossible' || hasGivenUp(lastRun));
