import { InputError, shown } from '#contracts';
import { isAbsent, nameAt, objectAt } from '../fields.js';
import { notInstant } from '../snapshot/applications.js';
import type { QueueSnapshot } from '../snapshot/by-queue.js';
import { parseInstant } from '../snapshot/instant.js';

/**
 * When each application lost an allocation last, milliseconds since 1970; NaN = never. Checks that the snapshot has what this policy
 * needs of applications beyond what every policy does: a user, a queue without children, the time of submission.
 * docs/reference/policies/intra-queue.md §11.
 */
export function applicationTimesOf({ applications, queues }: QueueSnapshot): Float64Array {
  const lastPreemptedAt = new Float64Array(applications.count).fill(Number.NaN);
  for (let a = 0; a < applications.count; a++) {
    // Paths are put together for errors only: there may be tens of thousands of applications.
    const at = (field: string): string => `applications[${a}].${field}`;
    if (!applications.users[a]) nameAt(applications.users[a], at('user'));
    const queue = applications.queue[a]!;
    if (queue < 0) throw new InputError(at('queue'), 'must name a queue without children, found nothing');
    if (queues.end[queue] !== queue + 1) {
      throw new InputError(
        at('queue'),
        `${shown(queues.paths[queue])} has children; an application is in a queue without`,
      );
    }
    if (Number.isNaN(applications.submittedAt[a]))
      throw new InputError(at('submittedAt'), notInstant(undefined));
    const properties = applications.properties[a];
    if (!isAbsent(properties)) lastPreemptedAt[a] = lastPreemptedOf(properties, at('properties'));
  }
  return lastPreemptedAt;
}

function lastPreemptedOf(properties: unknown, path: string): number {
  const { lastPreemptedAt } = objectAt(properties, path);
  if (isAbsent(lastPreemptedAt)) return Number.NaN;
  const instant = typeof lastPreemptedAt === 'string' ? parseInstant(lastPreemptedAt) : Number.NaN;
  if (Number.isNaN(instant)) {
    throw new InputError(`${path}.lastPreemptedAt`, notInstant(lastPreemptedAt));
  }
  return instant;
}
