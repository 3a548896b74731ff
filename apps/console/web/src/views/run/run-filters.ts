/** The states by which people look for runs; the API has more. */
export const runFilters = ['waiting', 'executing', 'ended'] as const;
export type RunFilter = (typeof runFilters)[number];

/** What the victims of a run are grouped by. */
export const victimGroupings = ['rule', 'owner', 'node', 'queue'] as const;
export type VictimGrouping = (typeof victimGroupings)[number];
