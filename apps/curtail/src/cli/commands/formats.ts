/** What configurations may be written for, as `configurationFormats` of the contracts: those are not loaded for a help text. */
export const formats = ['yunikorn', 'capacity-scheduler', 'ytsaurus'] as const;
