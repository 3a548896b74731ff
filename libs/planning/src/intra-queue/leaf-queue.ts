import type { PreemptionOrderPolicy } from '#contracts';
import { type AmountTable, addRow, copyRow, subtractRow, type TypeAmounts } from './amounts.js';
import type { InQueueRound } from './round.js';
import { userLimits } from './user-limits.js';

/** A queue without children, as this policy sees it. Amounts by planned type: docs/reference/policies/intra-queue.md §1. */
export interface LeafQueue {
  readonly number: number;
  readonly path: string;
  readonly policy: PreemptionOrderPolicy;
  readonly guaranteed: TypeAmounts;
  readonly used: TypeAmounts;
  readonly fixed: TypeAmounts;
  readonly inFlight: TypeAmounts;
  /** The amount that was freed lately and is not taken yet. */
  readonly freedRoom: TypeAmounts;
  /** Their numbers; the earlier submitted first, then by id, never an order of the input. */
  readonly applications: Int32Array;
  readonly users: Users;
}

/**
 * The users with an application in a queue, running or waiting, numbered in the order of their first application. Tables have a row
 * for each user; `Round.userOf` has the user of an application.
 */
export interface Users {
  readonly count: number;
  readonly names: readonly string[];
  readonly used: AmountTable;
  readonly fixed: AmountTable;
  readonly inFlight: AmountTable;
  /** Its limit, and what of it is left for what is not fixed. */
  readonly limit: AmountTable;
  readonly ownLimit: AmountTable;
  /** Its amount above its limit; below 0 where it has less. */
  readonly excess: AmountTable;
  /** 1 = above its limit. */
  readonly isOver: Uint8Array;
}

export function leafQueue(round: InQueueRound, queue: number): LeafQueue {
  const { snapshot, arithmetic, properties } = round;
  const guaranteed = round.limits(snapshot.queues.guaranteed, queue);
  const applications = round.applications(queue);
  const users = usersOf(round, queue, guaranteed, applications);
  const whole = (table: AmountTable): TypeAmounts => {
    const sum = arithmetic.zero.slice();
    for (let user = 0; user < users.count; user++) addRow(sum, 0, table, user * sum.length, sum.length);
    return sum;
  };
  return {
    number: queue,
    path: snapshot.queues.paths[queue]!,
    policy: properties.preemptionOrderPolicy(queue) ?? round.settings.preemptionOrderPolicy,
    guaranteed,
    used: whole(users.used),
    fixed: whole(users.fixed),
    inFlight: whole(users.inFlight),
    freedRoom: arithmetic.amountsOf(properties.of(queue).freedRoom ?? {}),
    applications,
    users,
  };
}

/** Numbers the users of a queue, and sums up what they use. */
function usersOf(
  round: InQueueRound,
  queue: number,
  guaranteed: TypeAmounts,
  applications: Int32Array,
): Users {
  const { arithmetic, usage, userOf } = round;
  const { width } = arithmetic;
  const names = numberUsers(round, applications);
  const count = names.length;
  const used = new Float64Array(count * width);
  const fixed = new Float64Array(count * width);
  const inFlight = new Float64Array(count * width);
  for (let i = 0; i < applications.length; i++) {
    const from = applications[i]! * width;
    const at = userOf[applications[i]!]! * width;
    addRow(used, at, usage.used, from, width);
    addRow(fixed, at, usage.fixed, from, width);
    addRow(inFlight, at, usage.inFlight, from, width);
  }
  const limits = userLimits(round, queue, guaranteed, names, used);
  const limit = new Float64Array(count * width);
  const excess = used.slice();
  const own = used.slice();
  const isOver = new Uint8Array(count);
  for (let user = 0; user < count; user++) copyRow(limit, user * width, limits[user]!, 0, width);
  subtractRow(excess, 0, limit, 0, excess.length);
  subtractRow(own, 0, fixed, 0, own.length);
  const ownLimit = limit.slice();
  subtractRow(ownLimit, 0, fixed, 0, ownLimit.length);
  for (let user = 0; user < count; user++) {
    const at = user * width;
    isOver[user] = arithmetic.compareRows(own, at, ownLimit, at) > 0 ? 1 : 0;
  }
  return { count, names, used, fixed, inFlight, limit, ownLimit, excess, isOver };
}

/** Sets `userOf` of applications of one queue. @returns the names of their users. */
function numberUsers(round: InQueueRound, applications: Int32Array): string[] {
  const { userOf, placeOfUser } = round;
  const { user } = round.applicationOrder;
  const names: string[] = [];
  placeOfUser.fill(-1);
  for (let i = 0; i < applications.length; i++) {
    const application = applications[i]!;
    const number = user[application]!;
    if (placeOfUser[number]! < 0) {
      placeOfUser[number] = names.push(round.snapshot.applications.users[application]!) - 1;
    }
    userOf[application] = placeOfUser[number]!;
  }
  return names;
}
