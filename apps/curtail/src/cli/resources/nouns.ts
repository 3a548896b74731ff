/** Kinds that can be listed, by their word on the command line. */
export const nouns = [
  'queues',
  'partitions',
  'stops',
  'freezes',
  'timers',
  'foreseen',
  'rounds',
  'pools',
  'operations',
  'enforcements',
  'plans',
  'events',
  'allocations',
  'victims',
  'notices',
  'replays',
  'configurations',
  'feeds',
] as const;
export type Noun = (typeof nouns)[number];

/** Short names of those that are listed often. */
export const shortNames: Partial<Record<Noun, string>> = {
  queues: 'q',
  timers: 't',
  enforcements: 'e',
  events: 'ev',
  allocations: 'a',
  notices: 'n',
  victims: 'v',
  configurations: 'c',
};

/** Which kind to list; the name of one of them may follow a slash. */
export interface Listable {
  noun: Noun;
  name?: string;
}

export const explainableKinds = ['enforcement', 'allocation', 'application', 'user', 'queue'] as const;

/** The kind to explain; its name may follow a slash. */
export interface Explainable {
  kind: (typeof explainableKinds)[number];
  name?: string;
}
