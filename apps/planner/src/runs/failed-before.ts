import type { DataSource } from 'typeorm';
import type { EventData } from '#contracts';
import { catalog } from '#contracts/events';
import { enforcementStream, planStream } from '#event-store';

/** More are no exceptions any more: the plan takes the first of them. */
const mostAvoided = 1000;

/** Reads the trigger of a plan and not its victims, of which there may be many. */
const FAILED = `
  SELECT ARRAY(SELECT data ->> 'allocation' FROM events WHERE stream = $1 AND type = $2 ORDER BY version LIMIT $5) AS failed,
         (SELECT data -> 'trigger' -> 'avoid' FROM events WHERE stream = $3 AND type = $4 AND data IS NOT NULL) AS avoided`;

/**
 * The allocations whose evictions failed in the run that this one follows, and those that that run left out for the same reason. They are
 * left out as long as there are others to take (docs/reference/policies/quota-decrease.md §3.12).
 */
export async function failedBefore(
  db: DataSource,
  { unblocked }: Pick<EventData<'EnforcementStarted'>, 'unblocked'>,
): Promise<string[]> {
  if (!unblocked) return [];
  const [row] = await db.query<{ failed: string[]; avoided: string[] | null }[]>(FAILED, [
    ...[enforcementStream(unblocked.after), catalog.VictimFailed.type],
    ...[planStream(unblocked.after), catalog.PlanComputed.type, mostAvoided],
  ]);
  return [...new Set([...(row?.failed ?? []), ...(row?.avoided ?? [])])].slice(0, mostAvoided);
}
