import { groupsOf } from '../groups-of.js';
import { keptBySnapshot } from '../kept-by-snapshot.js';
import { numberOrder, orderByNumber } from '../order-by-number.js';
import type { QueueSnapshot } from '../snapshot/by-queue.js';
import { amounts, inInputOrder, numbers, values } from '../snapshot/renumbered.js';
import { applicationTimesOf } from './required.js';

/**
 * A snapshot whose applications are numbered by queue, and in a queue the earlier submitted first, then by id, so that what a queue reads
 * and sums up by application stands together. `pending` stays in the order of the input, and `gangs`, which no round reads, are left out.
 */
export interface InQueueSnapshot extends QueueSnapshot {
  /** The applications of queue q are those from `firstApplication[q]` below `firstApplication[q + 1]`. */
  readonly firstApplication: Int32Array;
  /** By application: where it stood in the input. */
  readonly applicationPlace: Int32Array;
  /** By application: when it lost an allocation last, milliseconds since 1970; NaN = never. */
  readonly lastPreemptedAt: Float64Array;
}

/** @throws InputError for applications that this policy does not accept (`applicationTimesOf`). */
export const inQueueSnapshotOf = keptBySnapshot((snapshot: QueueSnapshot): InQueueSnapshot => {
  const lastPreemptedAt = applicationTimesOf(snapshot);
  const { applications, allocations, queues } = snapshot;
  const { ids, users, priority, queue, submittedAt } = applications;
  let earliest = 0;
  for (const instant of submittedAt) if (instant < earliest) earliest = instant;
  const sinceEarliest = Float64Array.from(submittedAt, (instant) => instant - earliest);
  const order = orderByNumber(numberOrder(sinceEarliest, ids));
  const { first, members: places } = groupsOf(order, queue, queues.count);
  return {
    ...snapshot,
    applications: {
      ...applications,
      ids: values(ids, places),
      users: values(users, places),
      priority: values(priority, places),
      queue: numbers(queue, places),
      submittedAt: values(submittedAt, places),
      properties: values(applications.properties, places),
      gangs: [],
    },
    allocations: {
      ...allocations,
      application: numbers(inInputOrder(places), allocations.application),
    },
    firstApplication: first,
    applicationPlace: places,
    lastPreemptedAt: amounts(lastPreemptedAt, places),
  };
});
