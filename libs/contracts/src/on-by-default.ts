/**
 * Whether a warning is about something that acts although the configuration does not ask for it. Such a warning comes before everything
 * else, since nobody may have to look for it.
 */
export const isOnByDefault = ({ code }: { code: string }): boolean => code === 'preemption-by-default';
