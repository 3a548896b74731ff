import type { KubernetesObject } from './objects.js';
import type { Mirror } from './reflector.js';

/** All objects of one kind, by namespace and name. */
export class Replica<T extends KubernetesObject> implements Mirror<T> {
  private objects = new Map<string, T>();

  private readonly followers: (() => void)[] = [];

  constructor(onChange?: () => void) {
    if (onChange) this.follow(onChange);
  }

  /** Calls `onChange` after each change from now on. */
  follow(onChange: () => void): void {
    this.followers.push(onChange);
  }

  get(key: string): T | undefined {
    return this.objects.get(key);
  }

  values(): IterableIterator<T> {
    return this.objects.values();
  }

  replace(all: T[]): void {
    this.objects = new Map(all.map((one) => [keyOf(one), one]));
    this.onChange();
  }

  /** A quota changes with every pod; only changes of kept fields count. */
  set(one: T): void {
    const before = this.objects.get(keyOf(one));
    this.objects.set(keyOf(one), one);
    if (!before || content(before) !== content(one)) this.onChange();
  }

  remove(one: T): void {
    this.objects.delete(keyOf(one));
    this.onChange();
  }

  private onChange(): void {
    for (const follower of this.followers) follower();
  }
}

const content = (one: KubernetesObject): string =>
  JSON.stringify({ ...one, metadata: { ...one.metadata, resourceVersion: '' } });

/** The name alone if the object has no namespace. */
const keyOf = ({ metadata }: KubernetesObject): string =>
  metadata.namespace === undefined ? metadata.name : `${metadata.namespace}/${metadata.name}`;
