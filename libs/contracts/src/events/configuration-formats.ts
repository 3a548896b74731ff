/** Formats of configurations. docs/reference/configuration.md */
export const configurationFormats = ['yunikorn', 'capacity-scheduler', 'ytsaurus'] as const;
export type ConfigurationFormat = (typeof configurationFormats)[number];

/** Limits of a configuration. Each is checked before the work that it bounds. */
export const configurationLimits = {
  /** A hundred thousand queues with a quota and a delay, as YAML. */
  bytes: 32 * 1024 * 1024,
  /** Characters of one that comes over Kafka. */
  messageCharacters: 4 * 1024 * 1024,
  /** Mappings and lists inside one another; a queue takes two levels. */
  depth: 200,
  aliases: 1000,
  /** Keys, items and values, each use of an alias counted in full. */
  values: 4_000_000,
  queues: 100_000,
  /** Keys `name` in the text of a queues.yaml: of queues, and of partitions and placement rules. */
  names: 150_000,
  /** Problems listed individually. */
  problems: 1000,
} as const;
