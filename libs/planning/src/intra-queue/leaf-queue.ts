import type { PreemptionOrderPolicy } from '@curtail/contracts';
import { type Amounts, minus, plus } from './amounts.js';
import type { Round } from './round.js';
import { userLimits } from './user-limits.js';

/** An application of the queue that is planned. Amounts by planned type: docs/policies/intra-queue.md §1. */
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
  /** What it has above its limit; below 0 where it has less. */
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

export function leafQueue(round: Round, queue: number): LeafQueue {
  const { snapshot, arithmetic, usage, properties } = round;
  const { ids, users: names, submittedAt, priority } = snapshot.applications;
  const width = arithmetic.names.length;
  const row = (table: Float64Array, application: number): Amounts =>
    arithmetic.types.map((_, place) => table[application * width + place]!);
  const numbers = round
    .applications(queue)
    .toSorted((a, b) => submittedAt[a]! - submittedAt[b]! || (ids[a]! < ids[b]! ? -1 : 1));

  const { zero } = arithmetic;
  const sums = new Map<string, { used: Amounts; fixed: Amounts; inFlight: Amounts }>();
  const parts = numbers.map((number) => {
    const part = {
      number,
      used: row(usage.used, number),
      fixed: row(usage.fixed, number),
      inFlight: row(usage.inFlight, number),
    };
    const name = names[number]!;
    const sum = sums.get(name) ?? { used: zero, fixed: zero, inFlight: zero };
    sums.set(name, {
      used: plus(sum.used, part.used),
      fixed: plus(sum.fixed, part.fixed),
      inFlight: plus(sum.inFlight, part.inFlight),
    });
    return part;
  });
  const guaranteed = round.limits(snapshot.queues.guaranteed, queue);
  const limits = userLimits(
    round,
    queue,
    guaranteed,
    [...sums].map(([name, { used }]) => ({ name, used })),
  );
  const users = new Map(
    [...sums].map(([name, sum], i): [string, User] => {
      const limit = limits[i]!;
      const ownLimit = minus(limit, sum.fixed);
      const own = minus(sum.used, sum.fixed);
      const isOver = arithmetic.isMore(own, ownLimit);
      return [name, { name, ...sum, limit, ownLimit, excess: minus(own, ownLimit), isOver }];
    }),
  );
  const all = [...sums.values()];
  return {
    number: queue,
    path: snapshot.queues.paths[queue]!,
    policy: properties.preemptionOrderPolicy(queue) ?? round.settings.preemptionOrderPolicy,
    guaranteed,
    used: all.reduce((sum, { used }) => plus(sum, used), zero),
    fixed: all.reduce((sum, { fixed }) => plus(sum, fixed), zero),
    inFlight: all.reduce((sum, { inFlight }) => plus(sum, inFlight), zero),
    applications: parts.map((part) => ({
      ...part,
      id: ids[part.number]!,
      priority: priority[part.number]!,
      submittedAt: submittedAt[part.number]!,
      user: users.get(names[part.number]!)!,
      own: minus(part.used, part.fixed),
      pending: row(round.pending, part.number),
    })),
    users: [...users.values()],
  };
}
