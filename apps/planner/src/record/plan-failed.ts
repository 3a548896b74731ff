import { type DomainEvent, type EventData, type Notice, ofQueue } from '#contracts';
import { tooLarge } from '#enforcement';

/**
 * The record of a plan that could not be made.
 *
 * @param afterMs since the planner began; absent for a plan that was given up, or is too large however long it takes.
 */
export function planFailed(
  { partition, queue, enforcement, fencingToken, failures }: EventData<'EnforcementStarted'>,
  { code, message }: Pick<Notice, 'code' | 'message'>,
  afterMs?: number,
): DomainEvent<'PlanFailed'> {
  const why = {
    code,
    message: afterMs === undefined || code === tooLarge ? message : `After ${afterMs} ms: ${message}`,
    about: ofQueue(queue),
  };
  const attempt = (failures?.count ?? 0) + 1;
  return { name: 'PlanFailed', data: { partition, queue, enforcement, fencingToken, ...why, attempt } };
}
