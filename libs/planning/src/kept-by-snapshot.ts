import type { Snapshot } from './snapshot/columns.js';

/** Makes something of a snapshot once and keeps it as long as the snapshot, which is planned with often. */
export function keptBySnapshot<T extends object, S extends Snapshot = Snapshot>(
  make: (snapshot: S) => T,
): (snapshot: S) => T {
  const kept = new WeakMap<S, T>();
  return (snapshot) => {
    let made = kept.get(snapshot);
    if (made === undefined) {
      made = make(snapshot);
      kept.set(snapshot, made);
    }
    return made;
  };
}
