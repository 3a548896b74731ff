import type { History, Logged } from './history.js';
import { named } from './log-checks.js';

/** Every clock that was set ended in exactly one way: called off, or in a run that ended and gave its lock back. */
export function everyRunEndsOnce({ log }: History): string[] {
  const findings: string[] = [];
  const ends = new Map<string, string[]>();
  for (const event of log) {
    if (!['EnforcementCancelled', 'EnforcementEnded', 'EnforcementReleased'].includes(event.name)) continue;
    const { enforcement } = event.data as { enforcement: string };
    ends.set(enforcement, [...(ends.get(enforcement) ?? []), event.name]);
  }
  const right = ['EnforcementCancelled', 'EnforcementEnded,EnforcementReleased'];
  for (const { data } of named(log, 'EnforcementScheduled')) {
    const ways = (ends.get(data.enforcement) ?? []).join();
    if (!right.includes(ways))
      findings.push(`${data.enforcement} of ${data.queue} ended as: ${ways || 'not'}`);
  }
  return findings;
}

/** A lowered max under a delay is heard: at the moment of the change a clock is set, or a run is told of it. */
export function everyDecreaseIsHeard({ log }: History): string[] {
  const heard = new Set(
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
    if (!lowered || current.delayMs === 0 || heard.has(`${queue} ${time.toISOString()}`)) return [];
    return [`the decrease of ${queue} at ${time.toISOString()} set no clock and was told to no run`];
  });
}

/** A due time is the moment of the change and the delay, however often the process died since, and nobody starts before. */
export function dueTimesHold({ log }: History): string[] {
  const due = new Map<string, string>();
  const findings: string[] = [];
  for (const event of log) {
    if (event.name === 'EnforcementScheduled' || event.name === 'EnforcementRescheduled') {
      const { enforcement, dueAt, current, cause } = event.data;
      due.set(enforcement, dueAt);
      const expected = new Date(event.time.getTime() + current.delayMs).toISOString();
      if (dueAt !== expected)
        findings.push(`${enforcement} (${cause}) is due at ${dueAt}, not at ${expected}`);
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

const queueOf = (event: Logged) => (event.data as { queue: string }).queue;
