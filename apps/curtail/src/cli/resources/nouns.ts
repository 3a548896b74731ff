/** Kinds that can be listed, by their word on the command line. */
export const nouns = [
  'queues',
  'timers',
  'rounds',
  'pools',
  'operations',
  'enforcements',
  'plans',
  'events',
  'allocations',
  'notices',
  'replays',
] as const;
export type Noun = (typeof nouns)[number];
