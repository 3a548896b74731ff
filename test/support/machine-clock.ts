import type { Clock } from '#event-store';

/** The clock of the test's own process, which shares a machine with the database. */
export const machineClock: Clock = { now: () => new Date() };
