/** Sets an entry of a map that keeps the newest ones. @param most how many it keeps. */
export function remember<V>(all: Map<string, V>, key: string, value: V, most: number): void {
  all.set(key, value);
  for (const oldest of all.keys()) {
    if (all.size <= most) return;
    all.delete(oldest);
  }
}
