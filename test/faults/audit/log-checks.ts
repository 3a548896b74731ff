import type { History, Logged } from './history.js';

/** Streams count from 1 without gaps, in the order in which consumers get them. */
export function streamsHaveNoGaps({ log }: History): string[] {
  const versions = new Map<string, number>();
  return log.flatMap(({ stream, version, name }) => {
    const expected = (versions.get(stream) ?? 0) + 1;
    versions.set(stream, version);
    return version === expected
      ? []
      : [`${stream}: ${name} has version ${version}, ${expected} was to follow`];
  });
}

/** Happens to a run once, whatever was delivered how often. */
const once: readonly (readonly Logged['name'][])[] = [
  ['EnforcementStarted'],
  ['PlanComputed', 'PlanFailed'],
  ['EnforcementOpened'],
  ['EnforcementEnded'],
  ['EnforcementReleased'],
];

/** No event has its effect twice: a run takes each of its steps once, and a change of a queue changes its clock once. */
export function eventsTakeEffectOnce({ log }: History): string[] {
  const counts = new Map<string, number>();
  const count = (what: string) => counts.set(what, (counts.get(what) ?? 0) + 1);
  const changes = new Set(
    named(log, 'QuotaChanged').map(({ data, time }) => `${data.queue} at ${time.toISOString()}`),
  );
  for (const event of log) {
    const step = once.find((names) => names.includes(event.name));
    if (step) count(`${step[0]} of ${(event.data as { enforcement: string }).enforcement}`);
    const { queue, cause } = event.data as { queue?: string; cause?: string };
    const change = `${queue} at ${event.time.toISOString()}`;
    const isHearing = /^(EnforcementScheduled|EnforcementRescheduled|EnforcementSkipped|QuotaNoted)$/.test(
      event.name,
    );
    if (isHearing && cause !== 'after-run' && changes.has(change)) count(`effect of the change of ${change}`);
  }
  return [...counts].flatMap(([what, times]) => (times > 1 ? [`${what}: ${times} times`] : []));
}

/** A run that starts later has the greater token. */
export function fencingTokensGrow({ log }: History): string[] {
  let last = 0;
  return named(log, 'EnforcementStarted').flatMap(({ data }) => {
    const before = last;
    last = data.fencingToken;
    return last > before ? [] : [`${data.enforcement} started with token ${last} after ${before}`];
  });
}

/** When everything has ended, nothing is left that waits for something. */
export function nothingIsLeftOver({ leftOvers }: History): string[] {
  return leftOvers.map(({ what, count }) => `${count} ${what} left`);
}

/** Runs are shown as the log has them. */
export function shownAsRecorded({ log, shown }: History): string[] {
  const rows = new Map(shown.map((row) => [row.enforcement, row]));
  return named(log, 'EnforcementEnded').flatMap(({ data: { enforcement, outcome, evicted } }) => {
    const row = rows.get(enforcement);
    if (row?.state === 'ended' && row.outcome === outcome && row.evicted === evicted) return [];
    return [
      `${enforcement} ended ${outcome} with ${evicted} evicted, and is shown as ${JSON.stringify(row)}`,
    ];
  });
}

/** The events of one kind, in order. */
export function named<N extends Logged['name']>(
  log: readonly Logged[],
  name: N,
): Extract<Logged, { name: N }>[] {
  return log.filter((event): event is Extract<Logged, { name: N }> => event.name === name);
}
