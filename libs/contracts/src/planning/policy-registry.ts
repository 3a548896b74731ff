import { BrokenInvariant } from '../curtail-error.js';
import { InputError } from '../input-error.js';
import { shown } from '../shown.js';

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
