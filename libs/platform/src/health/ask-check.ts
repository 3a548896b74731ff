import { answerWithin } from '@curtail/waiting';
import type { ReadinessCheck } from './readiness.js';

/** A check that hangs counts as failed. */
const longestCheckMs = 3000;

/** @returns the reason why it is down, or undefined if it is up. */
export async function askCheck(check: ReadinessCheck): Promise<string | undefined> {
  try {
    await answerWithin(longestCheckMs, () => check.check());
    return undefined;
  } catch (error) {
    return (error instanceof Error && error.message) || String(error);
  }
}
