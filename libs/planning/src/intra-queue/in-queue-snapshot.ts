import { InputError, type IntraQueueSpared, shown } from '#contracts';
import { isAbsent, nameAt, objectAt } from '../fields.js';
import { groupsOf } from '../groups-of.js';
import { keptBySnapshot } from '../kept-by-snapshot.js';
import { numberOrder, orderByNumber } from '../order-by-number.js';
import { notInstant } from '../snapshot/applications.js';
import type { QueueSnapshot } from '../snapshot/by-queue.js';
import { parseInstant } from '../snapshot/instant.js';
import { inInputOrder, numbers, renumberedAmounts, values } from '../snapshot/renumbered.js';

/**
 * When each application lost an allocation last, milliseconds since 1970; NaN = never. Checks that the snapshot has what this policy
 * needs of applications beyond what every policy does: a user, a queue without children, the time of submission.
 * docs/reference/policies/intra-queue.md §11.
 */
function applicationTimesOf({ applications, queues }: QueueSnapshot): Float64Array {
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
    partition: snapshot.partition,
    takenAt: snapshot.takenAt,
    types: snapshot.types,
    typeNumber: snapshot.typeNumber,
    typeInUse: snapshot.typeInUse,
    typesAtZero: snapshot.typesAtZero,
    budgets: snapshot.budgets,
    recentVictims: snapshot.recentVictims,
    nodes: snapshot.nodes,
    capacity: snapshot.capacity,
    order: snapshot.order,
    queues,
    applications: {
      count: applications.count,
      pending: applications.pending,
      ids: values(ids, places),
      users: values(users, places),
      priority: values(priority, places),
      queue: numbers(queue, places),
      submittedAt: values(submittedAt, places),
      properties: values(applications.properties, places),
      gangs: [],
    },
    allocations: {
      count: allocations.count,
      inputPlace: allocations.inputPlace,
      ids: allocations.ids,
      texts: allocations.texts,
      queue: allocations.queue,
      priority: allocations.priority,
      startedAt: allocations.startedAt,
      role: allocations.role,
      optedOut: allocations.optedOut,
      protected: allocations.protected,
      state: allocations.state,
      lastJobStartedAt: allocations.lastJobStartedAt,
      interruptible: allocations.interruptible,
      budgets: allocations.budgets,
      checkpointedAt: allocations.checkpointedAt,
      size: allocations.size,
      sizeCount: allocations.sizeCount,
      firstEntry: allocations.firstEntry,
      entryType: allocations.entryType,
      entryAmount: allocations.entryAmount,
      application: numbers(inInputOrder(places), allocations.application),
    },
    firstApplication: first,
    applicationPlace: places,
    lastPreemptedAt: renumberedAmounts(lastPreemptedAt, places),
  };
});

/** The verdict on an allocation that may be taken; NO_GIVE also for those that were never checked. */
export const NO_GIVE = 0;
export const UNFIT = 1;
export const PAST_USER_LIMIT = 2;
export const PAST_ROUND = 3;
export const PAST_TYPE = 4;
export const NOT_NEEDED = 5;
export const TAKEN = 6;

/** By number above; TAKEN has none. */
export const VERDICT_REASONS: readonly IntraQueueSpared[] = [
  'no-give',
  'unfit',
  'user-limit',
  'round-ceiling',
  'conservative-drf',
  'not-needed',
];
