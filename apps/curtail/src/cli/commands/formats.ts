/** Formats of configurations, equal to `configurationFormats` of the contracts, which a help text should not have to load. */
export const formats = ['yunikorn', 'capacity-scheduler', 'ytsaurus'] as const;
