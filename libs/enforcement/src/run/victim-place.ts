import { chain, type Notice, ofQueue, type SnapshotAllocation } from '#contracts';
import type { LiveQueue } from './control.js';
import { assert, ofVictim, type PlannedVictim } from './run-state.js';

export type Presence = 'running' | 'leaving' | 'gone' | 'other-incarnation';

/** Whether the allocation that was planned is still there. Without a planned uid the id is enough. */
export function presence(victim: PlannedVictim, live: SnapshotAllocation | undefined): Presence {
  if (live === undefined) return 'gone';
  if (victim.uid !== undefined && live.uid !== victim.uid) return 'other-incarnation';
  return (live.state ?? 'running') === 'running' ? 'running' : 'leaving';
}

/** It is in another queue by now. */
export function elsewhere(victim: PlannedVictim, live: SnapshotAllocation): Notice | undefined {
  return live.queue === victim.queue ? undefined : moved(victim, victim.queue, live.queue);
}

/** No plan has a protected victim: the platform has protected it since. */
export function protectedSince(victim: PlannedVictim, live: SnapshotAllocation): Notice | undefined {
  if (!live.protected) return undefined;
  const message = 'The platform has protected it since the plan was made.';
  return { code: 'protected', message, about: ofVictim(victim) };
}

/** The reason of a victim that is in another queue, or on another node, than it was planned in. */
export function moved(victim: PlannedVictim, from: string, to: string): Notice {
  return { code: 'moved', message: `It has moved from ${from} to ${to}.`, about: ofVictim(victim) };
}

/**
 * A round does not interfere with a quota that is being enforced. Its room stays in the queue, so guaranteed amounts
 * play no part.
 */
export function besideEnforcement(victim: PlannedVictim, queues: ReadonlyMap<string, LiveQueue>) {
  const path = chain(victim.queue).find((queue) => liveQueue(queues, queue).enforcing);
  if (path === undefined) return undefined;
  const message = `The quota of ${path} is being enforced; a later round decides again.`;
  return { code: 'enforcing', message, about: ofQueue(path) };
}

export function liveQueue(queues: ReadonlyMap<string, LiveQueue>, path: string): LiveQueue {
  const queue = queues.get(path);
  assert(queue, `the usage of ${path} was asked for and is missing`);
  return queue;
}
