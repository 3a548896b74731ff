import type { ClusterSnapshot, Owners, Plan } from '#contracts';

/** The users of the victims' applications, each with its applications; undefined if none is known. */
export function ownersOf({ applications }: ClusterSnapshot, { victims }: Plan): Owners | undefined {
  const chosen = new Set(victims.map(({ application }) => application));
  const byUser = new Map<string, string[]>();
  for (const { id, user } of applications) {
    if (user === undefined || !chosen.has(id)) continue;
    const own = byUser.get(user);
    if (own === undefined) byUser.set(user, [id]);
    else own.push(id);
  }
  if (byUser.size === 0) return undefined;
  return [...byUser].map(([user, own]) => ({ user, applications: own }));
}
