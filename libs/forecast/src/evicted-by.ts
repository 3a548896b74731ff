import type { Victim } from '#contracts';
import type { RunPreview } from '#contracts/api';

/** The victims that a run evicts once nothing holds it: none in observe mode. */
export function evictedBy(run: Partial<RunPreview>): Victim[] {
  return run.waitsFor?.some((wait) => wait.for === 'mode') ? [] : victimsOf(run);
}

/** The victims of the plan of a run, without those that a stop of their queue spares. */
export function victimsOf({ plan, held = [] }: Partial<RunPreview>): Victim[] {
  const spared = new Set(held);
  return (plan?.victims ?? []).filter(({ allocation }) => !spared.has(allocation));
}
