/** The states by which people look for runs; the API has more. */
export const runFilters = ['waiting', 'executing', 'ended'] as const;
export type RunFilter = (typeof runFilters)[number];

/** What the victims of a run are grouped by; who pays comes first. */
export const victimGroupings = ['owner', 'rule', 'queue', 'application', 'node'] as const;
export type VictimGrouping = (typeof victimGroupings)[number];
