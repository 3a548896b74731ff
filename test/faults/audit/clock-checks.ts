import type { DomainEvent } from '#contracts';
import type { History, Logged } from './history.js';
import { named } from './log-checks.js';

/**
 * Every clock that was set ended in exactly one way: called off, or in a run that ended and gave its lock back. A run that
 * no one carried on loses its lock with its lease, and ends before or after that; where it was never planned, it has no end.
 * A clock that waits to try again may still be set.
 */
export function everyRunEndsOnce({ log, triesAgainLater }: History): string[] {
  const findings: string[] = [];
  const ends = new Map<string, string[]>();
  const planned = new Set<string>();
  for (const event of log) {
    const { enforcement } = event.data as { enforcement: string };
    if (event.name === 'PlanComputed' || event.name === 'PlanFailed') planned.add(enforcement);
    if (!['EnforcementCancelled', 'EnforcementEnded', 'EnforcementReleased'].includes(event.name)) continue;
    const cause = event.name === 'EnforcementReleased' ? event.data.cause : undefined;
    const way = cause === 'lease-ended' ? 'lease-ended' : event.name;
    ends.set(enforcement, [...(ends.get(enforcement) ?? []), way]);
  }
  const right = ['EnforcementCancelled', 'EnforcementEnded,EnforcementReleased'];
  const withoutSign = ['EnforcementEnded,lease-ended', 'lease-ended,EnforcementEnded'];
  for (const { data } of named(log, 'EnforcementScheduled')) {
    const ways = (ends.get(data.enforcement) ?? []).join();
    const isUnplanned = ways === 'lease-ended' && !planned.has(data.enforcement);
    if (ways === '' && triesAgainLater.includes(data.enforcement)) continue;
    if (!right.includes(ways) && !withoutSign.includes(ways) && !isUnplanned)
      findings.push(`${data.enforcement} of ${data.queue} ended as: ${ways || 'not'}`);
  }
  return findings;
}

/** A lowered max under a delay has its effect: at the moment of the change a clock is set, or a run is notified. */
export function everyDecreaseIsRecorded({ log }: History): string[] {
  const recorded = new Set(
    log
      .filter(
        ({ name }) =>
          name === 'EnforcementScheduled' ||
          name === 'EnforcementRescheduled' ||
          name === 'EnforcementSkipped',
      )
      .map((event) => `${queueOf(event)} ${event.time.toISOString()}`),
  );
  return named(log, 'QuotaChanged').flatMap(({ data: { queue, previous, current }, time }) => {
    const lowered = Object.entries(current.max ?? {}).some(
      ([type, amount]) => amount < (previous.max?.[type] ?? Number.POSITIVE_INFINITY),
    );
    if (!lowered || current.delayMs === 0 || recorded.has(`${queue} ${time.toISOString()}`)) return [];
    return [`the decrease of ${queue} at ${time.toISOString()} set no clock and reached no run`];
  });
}

/** A due time is the moment of the change and the delay, however often the process died since, and no one starts before. */
export function dueTimesHold({ log }: History): string[] {
  const due = new Map<string, string>();
  const findings: string[] = [];
  for (const event of log) {
    if (event.name === 'EnforcementScheduled' || event.name === 'EnforcementRescheduled') {
      const { enforcement, dueAt, cause } = event.data;
      due.set(enforcement, dueAt);
      const expected = pausesMs(event).map((ms) => new Date(event.time.getTime() + ms).toISOString());
      if (!expected.includes(dueAt))
        findings.push(`${enforcement} (${cause}) is due at ${dueAt}, not at ${expected.join(' or ')}`);
    }
    if (event.name !== 'EnforcementStarted') continue;
    const { enforcement, dueAt, startedAt } = event.data;
    if (dueAt !== due.get(enforcement)) {
      findings.push(`${enforcement} was due at ${due.get(enforcement)} and started for ${dueAt}`);
    }
    if (startedAt < dueAt)
      findings.push(`${enforcement} started at ${startedAt}, before it was due at ${dueAt}`);
  }
  return findings;
}

/** How long after the moment of its cause a run is due: one of these. */
function pausesMs({ name, data }: DomainEvent<'EnforcementScheduled' | 'EnforcementRescheduled'>): number[] {
  // A run that lost its lock has served its delay: the next one follows at once.
  if (data.cause === 'lease-ended') return [0];
  // So has one that came to nothing: it is followed by another after a pause that doubles.
  if (name === 'EnforcementScheduled' && data.cause === 'retry')
    return [Math.min(1000 * 2 ** ((data.failures?.count ?? 1) - 1), 300_000)];
  if (name === 'EnforcementScheduled' && data.cause === 'unblocked') {
    const doubledMs = (attempt: number) => Math.min(60_000 * 2 ** (attempt - 1), 3_600_000);
    const { attempt = 1 } = data.unblocked ?? {};
    // After victims that stayed; or once a plan could evict more, which was found at once or after a run without effect.
    return [doubledMs(attempt), attempt === 1 ? 0 : doubledMs(attempt - 1)];
  }
  return [data.current.delayMs];
}

/** How much earlier than its transaction the time of an event may be. */
const mostBeforeWriteMs = 1000;

/**
 * By the clock of the database, which no service can be wrong about, no run begins before the delay of its queue has passed
 * since the change that set its clock, or since the end of the run before it. Only where writes were watched.
 */
export function delaysAreServed({ log }: History): string[] {
  const findings: string[] = [];
  const written = new Map<string, number>();
  const earliest = new Map<string, number>();
  for (const event of log) {
    if (!event.written) continue;
    if (event.name === 'QuotaChanged' || event.name === 'EnforcementEnded')
      written.set(
        `${event.name} ${queueOf(event)} ${event.time.toISOString()}`,
        event.written.from.getTime(),
      );
    if (event.name === 'EnforcementScheduled' || event.name === 'EnforcementRescheduled') {
      const { enforcement, queue, cause, current } = event.data;
      const why = cause === 'after-run' ? 'EnforcementEnded' : 'QuotaChanged';
      const since = written.get(`${why} ${queue} ${event.time.toISOString()}`);
      if (since === undefined) earliest.delete(enforcement);
      else earliest.set(enforcement, since + current.delayMs);
    }
    if (event.name !== 'EnforcementStarted') continue;
    const { enforcement, queue } = event.data;
    const earlyMs = (earliest.get(enforcement) ?? 0) - event.written.to.getTime();
    if (earlyMs > mostBeforeWriteMs) {
      findings.push(`${enforcement} of ${queue} started ${earlyMs} ms before its delay had passed`);
    }
  }
  return findings;
}

const queueOf = (event: Logged) => (event.data as { queue: string }).queue;
