import type { EvictionOutcome } from './port.js';

/** @param retryAfterMs counts only if the request may be repeated. */
export const refused = (
  retryable: boolean,
  code: string,
  message: string,
  retryAfterMs?: number,
): EvictionOutcome => ({
  answer: 'refused',
  retryable,
  code,
  message,
  ...(retryable && retryAfterMs !== undefined && { retryAfterMs }),
});
