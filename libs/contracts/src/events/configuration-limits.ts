/** Limits of a configuration. Each is checked before the work that it bounds. */
export const configurationLimits = {
  bytes: 4 * 1024 * 1024,
  /** Mappings and lists inside one another; a queue takes two levels. */
  depth: 200,
  aliases: 1000,
  /** Keys, items and values, each use of an alias counted in full. */
  values: 1_000_000,
  queues: 100_000,
  /** Problems listed individually. */
  problems: 1000,
} as const;
