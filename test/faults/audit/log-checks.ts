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

/** Whoever starts later has the greater token. */
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

/** What people are shown is what the log says. */
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
