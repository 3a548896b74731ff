import { denseNumbers } from '../dense-numbers.js';
import { type Grouped, groupsOf } from '../groups-of.js';
import { keptBySnapshot } from '../kept-by-snapshot.js';
import { numberOrder, orderByNumber } from '../order-by-number.js';

/** The part of the order of applications that all rounds of a snapshot have in common. */
export interface ApplicationOrder {
  /** The applications of each queue: the earlier submitted first, then by id; never an order of the input. */
  readonly ofQueue: Grouped;
  /** By application, the number of its priority among all that occur, higher priorities first. */
  readonly priorityPlace: Float64Array;
  readonly priorityCount: number;
  /** By application, the number of its user among all that occur. */
  readonly user: Int32Array;
  readonly userCount: number;
}

/** Of a snapshot whose applications have been checked (`applicationTimesOf`). */
export const applicationOrderOf = keptBySnapshot(({ applications, queues }): ApplicationOrder => {
  const { ids, queue, submittedAt } = applications;
  let first = 0;
  for (const instant of submittedAt) if (instant < first) first = instant;
  const sinceFirst = Float64Array.from(submittedAt, (instant) => instant - first);
  const { number, count } = denseNumbers(Float64Array.from(applications.priority));
  return {
    ofQueue: groupsOf(orderByNumber(numberOrder(sinceFirst, ids)), queue, queues.count),
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
