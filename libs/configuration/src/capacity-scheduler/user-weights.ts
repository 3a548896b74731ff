import { scheduler } from './key-names.js';

/** A key `….user-settings.<user>.weight`; names of users may contain dots. */
const pattern = new RegExp(`^${scheduler.replaceAll('.', '\\.')}(.+?)\\.user-settings\\.(.+)\\.weight$`);

/** Keys with users' weights, by the path of their queue as written. */
export function userWeightKeys(
  names: Iterable<string>,
): ReadonlyMap<string, { key: string; user: string }[]> {
  const keys = new Map<string, { key: string; user: string }[]>();
  for (const key of names) {
    const [, path, user] = pattern.exec(key) ?? [];
    if (path === undefined || user === undefined) continue;
    const there = keys.get(path);
    if (there === undefined) keys.set(path, [{ key, user }]);
    else there.push({ key, user });
  }
  return keys;
}
