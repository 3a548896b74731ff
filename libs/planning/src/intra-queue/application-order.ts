import { denseNumbers } from '../dense-numbers.js';
import { type Grouped, groupsOf } from '../groups-of.js';
import { keptBySnapshot } from '../kept-by-snapshot.js';
import { orderByNumber } from '../order-by-number.js';

/** The part of the order of applications that all rounds of a snapshot have in common. */
export interface ApplicationOrder {
  /** The applications of each queue: the earlier submitted first, then by id; never an order of the input. */
  readonly ofQueue: Grouped;
  /** By application, the number of its priority among all that occur, higher priorities first. */
  readonly priorityPlace: Float64Array;
  readonly priorityCount: number;
}

/** Of a snapshot whose applications have been checked (`readApplicationTimes`). */
export const applicationOrderOf = keptBySnapshot(({ applications, queues }): ApplicationOrder => {
  const { ids, queue, submittedAt } = applications;
  let first = 0;
  for (const instant of submittedAt) if (instant < first) first = instant;
  const sinceFirst = Float64Array.from(submittedAt, (instant) => instant - first);
  const { number, count } = denseNumbers(Float64Array.from(applications.priority));
  return {
    ofQueue: groupsOf(orderByNumber(sinceFirst, ids), queue, queues.count),
    priorityPlace: Float64Array.from(number, (lowerFirst) => count - 1 - lowerFirst),
    priorityCount: count,
  };
});
