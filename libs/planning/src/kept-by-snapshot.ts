import type { Snapshot } from './snapshot/columns.js';

const kept = Symbol('kept');

/**
 * Makes something of a snapshot once and keeps it as long as the snapshot, which is planned with often. The snapshot itself holds it, so that
 * both die young: collections of young garbage keep all values of an old `WeakMap`, and with them most of the snapshot.
 */
export function keptBySnapshot<T extends object, S extends Snapshot = Snapshot>(
  make: (snapshot: S) => T,
): (snapshot: S) => T {
  return (snapshot) => {
    const known = keptOf(snapshot);
    let made = known.get(make) as T | undefined;
    if (made === undefined) {
      made = make(snapshot);
      known.set(make, made);
    }
    return made;
  };
}

/** One property for all that is kept, so that snapshots keep to few shapes. */
function keptOf(snapshot: Snapshot & { readonly [kept]?: Map<object, object> }): Map<object, object> {
  const known = snapshot[kept];
  if (known !== undefined) return known;
  const none = new Map<object, object>();
  // Not enumerable: a copy with other fields is another snapshot.
  Object.defineProperty(snapshot, kept, { value: none });
  return none;
}
