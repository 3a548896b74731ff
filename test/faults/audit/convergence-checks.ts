import type { Resources } from '#contracts';
import { changesByQueue, type QuotaChange, raises, wantsClock } from './decreases.js';
import type { History, QueueLimits } from './history.js';
import { InForce } from './in-force.js';
import { type Run, runsOf } from './runs.js';
import { type Facts, liesAboutShortfall } from './shortfall.js';
import { victimsThatStayed } from './staying.js';
import { Usage } from './usage.js';

/**
 * Once everything is at rest, each queue whose quota was lowered under a delay is within its quota, or what was decided last
 * about it states a reason, and the reason is true. That nothing was started in the queue since is up to the caller.
 */
export function decreasesConverge(history: History): string[] {
  const { log, remaining, limits } = history;
  const usage = new Usage(remaining);
  const above = limits.flatMap((queue) => {
    const over = excess(queue, usage);
    return queue.delayMs > 0 && Object.keys(over).length > 0 ? [{ queue, over }] : [];
  });
  if (above.length === 0) return [];
  const runs = runsOf(log);
  const facts: Facts = {
    remaining,
    limits: new Map(limits.map((queue) => [queue.path, queue])),
    runs,
    stayed: victimsThatStayed(history, runs),
    inForce: new InForce(log),
  };
  const changes = changesByQueue(log);
  const lastRun = new Map([...runs.values()].map((run) => [run.queue, run]));
  return above.flatMap(({ queue: { path }, over }) => {
    const ofQueue = changes.get(path) ?? [];
    const decrease = ofQueue.findLast(({ data }) => wantsClock(data));
    if (!decrease) return [];
    return notTrue({ over, decrease, changes: ofQueue, run: lastRun.get(path) }, facts).map(
      (why) => `${path} is above its quota by ${JSON.stringify(over)}: ${why}`,
    );
  });
}

function excess({ path, max }: QueueLimits, usage: Usage): Resources {
  const over = Object.entries(max ?? {}).map(([type, most]) => [type, usage.of(path, type) - most] as const);
  return Object.fromEntries(over.filter(([, amount]) => amount > 0));
}

interface Case {
  over: Resources;
  /** The last change of the queue for which a clock was to be set. */
  decrease: QuotaChange;
  changes: QuotaChange[];
  /** The last clock that was set for the queue, and its run. */
  run: Run | undefined;
}

/** Why a queue may not be left above its quota as it is; empty if there is a reason for it, and it is true. */
function notTrue({ over, decrease, changes, run }: Case, facts: Facts): string[] {
  if (!run) return ['no clock was ever set'];
  const { cancelled, ended } = run;
  if (cancelled) {
    return cancelled.index > decrease.index
      ? notTrueOfCancelled(run, cancelled, changes, facts)
      : [`its last clock was called off (${cancelled.data.cause}) before it was lowered`];
  }
  if (run.started === undefined) return notTrueOfPending(run, facts);
  if (!ended) return [`its last run ${run.enforcement} has not ended`];
  const { outcome } = ended.data;
  if (outcome === 'best-effort' || outcome === 'impossible' || (outcome === 'failed' && run.planned)) {
    return liesAboutShortfall(run, over, facts).map((lie) => `its last run ended ${outcome}, and ${lie}`);
  }
  if (run.started < decrease.index) return [`it was lowered during its last run, which ended ${outcome}`];
  return isTrue(run, ended, facts)
    ? []
    : [`its last run ended ${outcome}, which is no reason, or not a true one`];
}

/** A clock that stands still, and has a reason for it. */
function notTrueOfPending({ queue, enforcement, suspended, isUnblocked }: Run, { inForce }: Facts): string[] {
  // It follows a run that fell short, after a pause of a minute and more.
  if (isUnblocked) return [];
  if (!suspended) return [`its clock ${enforcement} is pending`];
  if (!inForce.switchedOn() || inForce.isStopped(queue)) return [];
  return [`its clock ${enforcement} is suspended, and neither the switch nor a kill switch holds it`];
}

function notTrueOfCancelled(
  { scheduled, enforcement }: Run,
  { index, data: { cause } }: NonNullable<Run['cancelled']>,
  changes: QuotaChange[],
  { inForce }: Facts,
): string[] {
  const wasRaised = changes.some(
    (change) => change.index > scheduled && change.index < index && raises(change.data),
  );
  if (cause === 'quota-raised' && wasRaised) return [];
  if (cause === 'operator' && inForce.wasAsked('CancelRequested', enforcement, index)) return [];
  return [`its last clock was called off as ${cause}, which is no reason, or not a true one`];
}

/** Whether the outcome is a reason to leave the queue above its quota, and whether it describes what happened. */
function isTrue(run: Run, { index, time, data }: NonNullable<Run['ended']>, { inForce }: Facts): boolean {
  switch (data.outcome) {
    case 'cancelled':
      return inForce.wasAsked('CancelRequested', run.enforcement, index);
    case 'rejected':
      return inForce.wasAsked('PlanRejected', run.enforcement, index);
    case 'observed':
      return run.opened !== undefined && inForce.mode(run.opened.index) === 'observe';
    case 'deadline':
      return run.opened !== undefined && time.toISOString() >= run.opened.data.deadlineAt;
    // A kill switch holds clocks: a run that one has ended leaves a suspended clock behind, and is not the last word.
    case 'stopped':
      return !inForce.switchedOn() || inForce.mode() === 'observe';
    case 'skipped':
      return !inForce.switchedOn();
    default:
      return false;
  }
}
