/** Attempts before a message is given up: the delays between them sum up to some 17 hours. */
export const mostAttempts = 15;

const firstSeconds = 5;
const longestSeconds = 6 * 3600;

/** Seconds until the next attempt, after so many have failed: 5 s, doubled each time up to 6 hours. */
export function retryDelay(failed: number): number {
  return Math.min(firstSeconds * 2 ** (failed - 1), longestSeconds);
}
