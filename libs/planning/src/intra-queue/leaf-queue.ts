import type { PreemptionOrderPolicy } from '@curtail/contracts';
import { type Amounts, minus, plus } from './amounts.js';
import type { Round } from './round.js';
import { userLimits } from './user-limits.js';

/** An application of the queue that is planned. Amounts by planned type: docs/reference/policies/intra-queue.md §1. */
export interface Application {
  readonly number: number;
  readonly id: string;
  readonly priority: number;
  readonly submittedAt: number;
  readonly user: User;
  readonly used: Amounts;
  readonly fixed: Amounts;
  readonly inFlight: Amounts;
  readonly own: Amounts;
  readonly pending: Amounts;
}

/** A user with an application in the queue, running or waiting. */
export interface User {
  readonly name: string;
  readonly used: Amounts;
  readonly fixed: Amounts;
  readonly inFlight: Amounts;
  /** Its limit, and what of it is left for what is not fixed. */
  readonly limit: Amounts;
  readonly ownLimit: Amounts;
  /** Its amount above its limit; below 0 where it has less. */
  readonly excess: Amounts;
  readonly isOver: boolean;
}

/** A queue without children, as this policy sees it. */
export interface LeafQueue {
  readonly number: number;
  readonly path: string;
  readonly policy: PreemptionOrderPolicy;
  readonly guaranteed: Amounts;
  readonly used: Amounts;
  readonly fixed: Amounts;
  readonly inFlight: Amounts;
  /** The earlier submitted first, then by id; never an order of the input. */
  readonly applications: readonly Application[];
  /** In the order of their first application. */
  readonly users: readonly User[];
}

/** The sums of the applications of one user. */
interface UserSum {
  readonly name: string;
  used: Amounts;
  fixed: Amounts;
  inFlight: Amounts;
}

export function leafQueue(round: Round, queue: number): LeafQueue {
  const { snapshot, arithmetic, usage, properties } = round;
  const { ids, users: names, submittedAt, priority } = snapshot.applications;
  const numbers = round
    .applications(queue)
    .toSorted((a, b) => submittedAt[a]! - submittedAt[b]! || (ids[a]! < ids[b]! ? -1 : 1));

  const { zero } = arithmetic;
  const whole: UserSum = { name: '', used: zero, fixed: zero, inFlight: zero };
  const sums = new Map<string, UserSum>();
  for (const number of numbers) {
    const name = names[number]!;
    let sum = sums.get(name);
    if (sum === undefined) {
      sum = { name, used: zero, fixed: zero, inFlight: zero };
      sums.set(name, sum);
    }
    sum.used = plus(sum.used, arithmetic.row(usage.used, number));
    sum.fixed = plus(sum.fixed, arithmetic.row(usage.fixed, number));
    sum.inFlight = plus(sum.inFlight, arithmetic.row(usage.inFlight, number));
  }
  for (const { used, fixed, inFlight } of sums.values()) {
    whole.used = plus(whole.used, used);
    whole.fixed = plus(whole.fixed, fixed);
    whole.inFlight = plus(whole.inFlight, inFlight);
  }
  const guaranteed = round.limits(snapshot.queues.guaranteed, queue);
  const limits = userLimits(round, queue, guaranteed, [...sums.values()]);
  const users = new Map<string, User>();
  for (const sum of sums.values()) users.set(sum.name, userOf(round, sum, limits[users.size]!));
  return {
    number: queue,
    path: snapshot.queues.paths[queue]!,
    policy: properties.preemptionOrderPolicy(queue) ?? round.settings.preemptionOrderPolicy,
    guaranteed,
    used: whole.used,
    fixed: whole.fixed,
    inFlight: whole.inFlight,
    applications: numbers.map((number): Application => {
      const used = arithmetic.row(usage.used, number);
      const fixed = arithmetic.row(usage.fixed, number);
      return {
        number,
        id: ids[number]!,
        priority: priority[number]!,
        submittedAt: submittedAt[number]!,
        user: users.get(names[number]!)!,
        used,
        fixed,
        inFlight: arithmetic.row(usage.inFlight, number),
        own: minus(used, fixed),
        pending: arithmetic.row(round.pending, number),
      };
    }),
    users: [...users.values()],
  };
}

function userOf({ arithmetic }: Round, { name, used, fixed, inFlight }: UserSum, limit: Amounts): User {
  const excess = minus(used, limit);
  const ownLimit = minus(limit, fixed);
  const isOver = arithmetic.isMore(minus(used, fixed), ownLimit);
  return { name, used, fixed, inFlight, limit, ownLimit, excess, isOver };
}
