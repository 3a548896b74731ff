/** Kinds that can be listed, by the word that asks for them. */
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
