import type { History, Logged, RemainingAllocation } from './history.js';
import type { Run } from './runs.js';

/** A victim of a plan that remains, and the reason by its run. */
export interface Stayed {
  run: Run;
  remaining: RemainingAllocation;
  name: 'VictimSpared' | 'VictimFailed';
  code: string;
  /** Of that outcome in the log. */
  index: number;
}

/** All victims that stand although they were planned, by the log and by what the cluster holds. */
export function victimsThatStayed(
  { log, remaining }: Pick<History, 'log' | 'remaining'>,
  runs: ReadonlyMap<string, Run>,
): Stayed[] {
  const remainingById = new Map(remaining.map((one) => [one.id, one]));
  return log.flatMap((event, index): Stayed[] => {
    if (!isLeftAlone(event)) return [];
    const run = runs.get(event.data.enforcement);
    const still = remainingById.get(event.data.allocation);
    return run && still ? [{ run, remaining: still, name: event.name, code: event.data.code, index }] : [];
  });
}

const isLeftAlone = (event: Logged): event is Extract<Logged, { name: 'VictimSpared' | 'VictimFailed' }> =>
  event.name === 'VictimSpared' || event.name === 'VictimFailed';
