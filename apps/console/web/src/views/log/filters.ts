/** The filters of the log, as they are in its address. Times are in UTC. */
export const logFilters = ['queue', 'type', 'run', 'owner', 'actor', 'since', 'until'] as const;
export type LogFilter = (typeof logFilters)[number];
