/** Formats of configurations. docs/reference/configuration.md */
export const configurationFormats = ['yunikorn', 'capacity-scheduler', 'ytsaurus'] as const;
export type ConfigurationFormat = (typeof configurationFormats)[number];
