import { scheduler } from './key-names.js';

/** A key `….user-settings.<user>.weight`; users may have points in their names. */
const pattern = new RegExp(`^${scheduler.replaceAll('.', '\\.')}(.+?)\\.user-settings\\.(.+)\\.weight$`);

/** The keys with weights of users, by the path of their queue as it is written. */
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
