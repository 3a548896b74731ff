import { BrokenInvariant } from '../curtail-error.js';
import { InputError } from '../input-error.js';
import { shown } from '../words.js';

/** The request for a plan; each policy adds its own fields. docs/reference/snapshot.md, "Trigger". */
export interface Trigger {
  policy: string;
  /** The planned queue; absent: all queues. */
  queue?: string;
}

export interface QuotaDecreaseTrigger extends Trigger {
  policy: 'quota-decrease';
  /** The queue whose quota was lowered. */
  queue: string;
  /** Free this much, in place of the computed target. */
  target?: Resources;
  /** Allocations, by id, that the plan leaves out: their evictions by runs before it failed. docs/reference/policies/quota-decrease.md §3.12 */
  avoid?: readonly string[];
  /** For information only. */
  previousMax?: Resources;
}

export interface IntraQueueTrigger extends Trigger {
  policy: 'intra-queue';
  /** A queue without children; absent = all of them. */
  queue?: string;
}

/** The whole tree. */
export interface FairShareTrigger extends Trigger {
  policy: 'fair-share';
  queue?: never;
}

/** The policy that enforces the quota of a queue: its runs follow the clocks of queues. All others plan a partition in rounds. */
const quotaPolicy = 'quota-decrease';

/** The kind of the timers that are the clocks of queues. It is also the name of the policy whose runs they start. */
export const clockKind: string = quotaPolicy;

/** The trigger of the runs that the clock of a queue starts. */
export const clockTrigger = (queue: string): QuotaDecreaseTrigger => ({ policy: quotaPolicy, queue });

/** The policy of a run, from an event: those of runs that a clock starts do not name it. */
export const policyOfEvent = (data: { policy?: string }): string => data.policy ?? quotaPolicy;

/**
 * One part of Curtail's knowledge of each policy, by name, in the order in which policies were added. On the wire, policies are plain
 * strings; each part decides with its registry which ones it handles.
 */
export class PolicyRegistry<P extends { readonly name: string }> implements Iterable<P> {
  private readonly policies = new Map<string, P>();

  constructor(...policies: P[]) {
    for (const policy of policies) this.add(policy);
  }

  /** @throws Error for a duplicate name. */
  add(policy: P): void {
    if (this.policies.has(policy.name)) throw new BrokenInvariant(`there is already a policy ${policy.name}`);
    this.policies.set(policy.name, policy);
  }

  [Symbol.iterator](): Iterator<P> {
    return this.policies.values();
  }

  get names(): string[] {
    return [...this.policies.keys()];
  }

  find(name: string): P | undefined {
    return this.policies.get(name);
  }

  /** @throws Error for an unknown policy. */
  of(name: string): P {
    const policy = this.policies.get(name);
    if (policy) return policy;
    throw new BrokenInvariant(`there is no policy ${shown(name)}; known are ${this.names.join(', ')}`);
  }

  /**
   * The policy that input names.
   *
   * @param path of the field with the name.
   * @throws InputError that lists the known policies.
   */
  named(name: unknown, path: string): P {
    const policy = typeof name === 'string' ? this.policies.get(name) : undefined;
    if (policy) return policy;
    const known = this.names.map(shown);
    const last = known.pop();
    throw new InputError(path, `must be ${known.join(', ')} or ${last}, found ${shown(name)}`);
  }
}

/**
 * Amounts by resource type, in base units: memory in bytes, `vcore` in millicores, everything else in units.
 * Whole numbers from 0 to 2^53 - 1. A type that is absent is not set: no limit, no guarantee, no use.
 * docs/reference/snapshot.md, "Resources".
 */
export type Resources = { readonly [type: string]: number };

/** Total resources of allocations, capped at the largest amount of a plan. */
export function totalOfAllocations(allocations: readonly { resources: Resources }[]): Resources {
  // Many allocations share the objects of their few sizes.
  const counts = new Map<Resources, number>();
  for (const { resources } of allocations) counts.set(resources, (counts.get(resources) ?? 0) + 1);
  const total = new Map<string, number>();
  for (const [resources, count] of counts) {
    for (const [type, amount] of Object.entries(resources)) {
      total.set(type, Math.min(Number.MAX_SAFE_INTEGER, (total.get(type) ?? 0) + count * amount));
    }
  }
  return Object.fromEntries(total);
}
