const absolute = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'long' });
const short = new Intl.DateTimeFormat(undefined, { dateStyle: 'short', timeStyle: 'medium' });

/** A time in full, as the clock of this browser has it. @param at as `Date` takes it. */
export const absoluteTime = (at: string | number) => absolute.format(new Date(at));

/** The same within a sentence. */
export const shortTime = (at: string) => short.format(new Date(at));

/** What a time says on hover: in full, and in UTC as the server and its log write it. */
export const timeInFull = (at: string) => `${absoluteTime(at)} (${new Date(at).toISOString()})`;
