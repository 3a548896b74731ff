import { denseNumbers } from '../dense-numbers.js';
import { keptBySnapshot } from '../kept-by-snapshot.js';
import type { InQueueSnapshot } from './in-queue-snapshot.js';

/** The part of the order of applications that all rounds of a snapshot have in common. */
export interface ApplicationOrder {
  /** By application, the number of its priority among all that occur, higher priorities first. */
  readonly priorityPlace: Float64Array;
  readonly priorityCount: number;
  /** By application, the number of its user among all that occur. */
  readonly user: Int32Array;
  readonly userCount: number;
}

export const applicationOrderOf = keptBySnapshot(({ applications }: InQueueSnapshot): ApplicationOrder => {
  const { number, count } = denseNumbers(Float64Array.from(applications.priority));
  return {
    priorityPlace: Float64Array.from(number, (lowerFirst) => count - 1 - lowerFirst),
    priorityCount: count,
    ...numberUsers(applications.users),
  };
});

function numberUsers(users: readonly (string | undefined)[]): { user: Int32Array; userCount: number } {
  const numbers = new Map<string | undefined, number>();
  const user = Int32Array.from(users, (name) => {
    const known = numbers.get(name) ?? numbers.size;
    if (known === numbers.size) numbers.set(name, known);
    return known;
  });
  return { user, userCount: numbers.size };
}
