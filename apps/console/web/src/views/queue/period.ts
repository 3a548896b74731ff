/** How far back the plot of a queue goes. */
export const periods = ['hour', 'day', 'week', 'month', 'year'] as const;
export type Period = (typeof periods)[number];

const dayMs = 86_400_000;
export const periodMs: Record<Period, number> = {
  hour: 3_600_000,
  day: dayMs,
  week: 7 * dayMs,
  month: 30 * dayMs,
  year: 365 * dayMs,
};

/** The parts of the view of a queue that are shown one at a time. */
export const queueParts = ['history', 'allocations', 'applications', 'settings', 'runs'] as const;
