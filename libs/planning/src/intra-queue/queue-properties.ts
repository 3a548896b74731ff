import type { Resources } from '#contracts';
import { InputError, type PreemptionOrderPolicy, preemptionOrderPolicyOf, shown } from '#contracts';
import { booleanAt, type Fields, isAbsent, objectAt } from '../fields.js';
import { readAmounts, typePath } from '../snapshot/amounts.js';
import type { QueueSnapshot } from '../snapshot/by-queue.js';

/** The settings of this policy that a queue itself has; undefined = not set. docs/reference/policies/intra-queue.md §2. */
export interface OwnProperties {
  readonly minimumUserLimitPercent?: number | undefined;
  /** -1 = no cap of its own. */
  readonly userLimitFactor?: number | undefined;
  readonly userWeights: ReadonlyMap<string, number>;
  readonly orderingPolicy?: 'fifo' | 'fair' | undefined;
  readonly preemptionOrderPolicy?: PreemptionOrderPolicy | undefined;
  readonly disablePreemption?: boolean | undefined;
  readonly disableIntraQueuePreemption?: boolean | undefined;
  readonly userResourceLimit?: Resources | undefined;
  readonly userResourceLimits: ReadonlyMap<string, Resources>;
  /** Not a setting: the room that was freed lately and is not taken yet. docs/reference/policies/intra-queue.md §5.3 */
  readonly freedRoom?: Resources | undefined;
}

const NOTHING: OwnProperties = { userWeights: new Map(), userResourceLimits: new Map() };

/** Reads the properties of every queue, also of those that are not planned, and puts in place what is inherited. */
export class QueueProperties {
  private readonly own: readonly OwnProperties[];

  /** @throws InputError with `queues[i].properties.<name>` as the path. */
  constructor(private readonly snapshot: QueueSnapshot) {
    const { properties, inputPlace } = snapshot.queues;
    this.own = properties.map((given, queue) => readOwn(given, `queues[${inputPlace[queue]}].properties`));
  }

  /** Of the queue itself, without what is inherited. */
  of(queue: number): OwnProperties {
    return this.own[queue]!;
  }

  preemptionOrderPolicy(queue: number): PreemptionOrderPolicy | undefined {
    return this.nearest(queue, (own) => own.preemptionOrderPolicy);
  }

  isDisabled(queue: number): boolean {
    return (
      (this.nearest(queue, (own) => own.disablePreemption) ?? false) ||
      (this.nearest(queue, (own) => own.disableIntraQueuePreemption) ?? false)
    );
  }

  /** Of users, by their names; default 1. */
  weights(queue: number, users: readonly string[]): number[] {
    const haveWeights = this.nearest(queue, (own) => own.userWeights.size > 0 || undefined) ?? false;
    if (!haveWeights) return users.map(() => 1);
    return users.map((user) => this.nearest(queue, (own) => own.userWeights.get(user)) ?? 1);
  }

  private nearest<T>(queue: number, pick: (own: OwnProperties) => T | undefined): T | undefined {
    for (let q = queue; q >= 0; q = this.snapshot.queues.parent[q]!) {
      const value = pick(this.own[q]!);
      if (value !== undefined) return value;
    }
    return undefined;
  }
}

function readOwn(given: unknown, path: string): OwnProperties {
  if (isAbsent(given)) return NOTHING;
  const fields = objectAt(given, path);
  return {
    minimumUserLimitPercent: numberWhere(
      fields,
      path,
      'minimumUserLimitPercent',
      'a percentage from 0 to 100',
      (value) => value >= 0 && value <= 100,
    ),
    userLimitFactor: numberWhere(
      fields,
      path,
      'userLimitFactor',
      'a number, at least 0, or -1 for no cap',
      (value) => value >= 0 || value === -1,
    ),
    userWeights: byUser(fields, path, 'userWeights', (weights, user, at) =>
      numberWhere(weights, at, user, 'a number, at least 0', (value) => value >= 0),
    ),
    orderingPolicy: orderingPolicyAt(fields.orderingPolicy, `${path}.orderingPolicy`),
    preemptionOrderPolicy: orderPolicyAt(fields.preemptionOrderPolicy, `${path}.preemptionOrderPolicy`),
    disablePreemption: switchAt(fields, path, 'disablePreemption'),
    disableIntraQueuePreemption: switchAt(fields, path, 'disableIntraQueuePreemption'),
    userResourceLimit: limitAt(fields.userResourceLimit, `${path}.userResourceLimit`),
    userResourceLimits: byUser(fields, path, 'userResourceLimits', (limits, user, at) =>
      limitAt(limits[user], typePath(at, user)),
    ),
    freedRoom: limitAt(fields.freedRoom, `${path}.freedRoom`),
  };
}

function numberWhere(
  fields: Fields,
  path: string,
  name: string,
  what: string,
  holds: (value: number) => boolean,
): number | undefined {
  const value = fields[name];
  if (isAbsent(value)) return undefined;
  if (typeof value === 'number' && Number.isFinite(value) && holds(value)) return value;
  throw new InputError(typePath(path, name), `must be ${what}, found ${shown(value)}`);
}

function byUser<T>(
  fields: Fields,
  path: string,
  name: string,
  read: (byName: Fields, user: string, at: string) => T | undefined,
): ReadonlyMap<string, T> {
  const found = new Map<string, T>();
  if (isAbsent(fields[name])) return found;
  const at = `${path}.${name}`;
  const byName = objectAt(fields[name], at);
  for (const user of Object.keys(byName)) {
    const value = read(byName, user, at);
    if (value !== undefined) found.set(user, value);
  }
  return found;
}

function orderingPolicyAt(value: unknown, path: string): 'fifo' | 'fair' | undefined {
  if (isAbsent(value)) return undefined;
  if (value === 'fifo' || value === 'fair') return value;
  throw new InputError(path, `must be "fifo" or "fair", found ${shown(value)}`);
}

function orderPolicyAt(value: unknown, path: string): PreemptionOrderPolicy | undefined {
  if (isAbsent(value)) return undefined;
  const found = preemptionOrderPolicyOf(value);
  if (found !== undefined) return found;
  throw new InputError(path, `must be "userlimit-first" or "priority-first", found ${shown(value)}`);
}

function switchAt(fields: Fields, path: string, name: string): boolean | undefined {
  return isAbsent(fields[name]) ? undefined : booleanAt(fields[name], `${path}.${name}`, false);
}

function limitAt(value: unknown, path: string): Resources | undefined {
  if (isAbsent(value)) return undefined;
  return readAmounts(value, path, () => undefined) as Resources;
}
