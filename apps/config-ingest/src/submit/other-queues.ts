import type { QueueInForce } from '#clusters';
import { valueChanges } from '#configuration';
import { ancestors, CurtailError, firstOf, isWithin } from '#contracts';
import type { ConfigurationError } from '#contracts/api';
import { guaranteedChanges } from '#forecast';
import { isSameQueue } from './configuration-store.js';

const namedQueues = 5;

/** A submission for one queue would change others. */
export class OtherQueuesChanged extends CurtailError {
  readonly code = 'other-queues-changed';

  constructor(queue: string, changed: readonly string[]) {
    super(
      `A submission for ${queue} cannot change other queues, and this one changes ${firstOf(changed, namedQueues)}: ` +
        `an anchor in the text of ${queue} may be used elsewhere. Send the whole configuration.`,
    );
  }
}

/** @throws OtherQueuesChanged if anything but the queue and the queues below it differs. */
export function assertOthersStay(
  queue: string,
  before: readonly QueueInForce[],
  after: readonly QueueInForce[],
): void {
  const gone = new Map(before.filter(({ path }) => !isWithin(path, queue)).map((each) => [each.path, each]));
  const changed: string[] = [];
  for (const each of after) {
    if (isWithin(each.path, queue)) continue;
    const old = gone.get(each.path);
    if (old === undefined || !isSameQueue(old, each)) changed.push(each.path);
    gone.delete(each.path);
  }
  changed.push(...gone.keys());
  if (changed.length > 0) throw new OtherQueuesChanged(queue, changed.sort());
}

/**
 * What keeps work from being evicted is for the administrator: with guaranteed amounts, delays, or properties such as `curtail.protect`,
 * a team could escape a lowered quota of its queue. They stay in the queues below; a new queue has none, and inherits its delay.
 * docs/how-to/secure.md, "Tokens of teams"
 *
 * @returns an error for each queue in which they differ.
 */
export function changedByTeam(
  before: readonly QueueInForce[],
  after: readonly QueueInForce[],
): ConfigurationError[] {
  const old = new Map(before.map((queue) => [queue.path, queue]));
  const now = new Map(after.map((queue) => [queue.path, queue]));
  // Shares of the cluster are compared as shares, whatever its size.
  const guaranteed = new Set(guaranteedChanges(before, after, {}).map(({ queue }) => queue));
  return after.flatMap(({ path, properties, delayMs }) => {
    const known = old.get(path);
    const [parent = ''] = ancestors(path);
    const delays = known ? [known.delayMs] : [now.get(parent)?.delayMs ?? 0, 0];
    const changed = [
      ...valueChanges(known?.properties ?? {}, properties ?? {}).map(({ name }) => name),
      ...(guaranteed.has(path) ? ['guaranteed'] : []),
      ...(delays.includes(delayMs) ? [] : ['delay']),
    ];
    if (changed.length === 0) return [];
    const message = `${changed.join(', ')} of ${path}: only the administrator of the cluster can change what protects work from evictions`;
    return [{ path: '', message }];
  });
}
