import { pauseAfter } from '#contracts';

/** Attempts before a message is given up: the delays between them sum up to some 17 hours. */
export const mostAttempts = 15;

const seconds = { first: 5, longest: 6 * 3600 };

/** Seconds until the next attempt, after so many have failed: 5 s, doubled each time up to 6 hours. */
export const retryDelay = (failed: number): number => pauseAfter(failed, seconds);
