/** What can be listed, by the word it is asked for with. */
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
