import { CurtailError } from '#contracts';
import { answerWithin } from '#waiting';
import type { ReadinessCheck } from './readiness.js';

/** A check that failed with something else than an error. */
export class FailedCheck extends CurtailError {
  readonly code = 'failed-check';
}

/** A check that hangs counts as failed. */
const longestCheckMs = 3000;

/** @returns the error for which it is down, or undefined if it is up. */
export async function askCheck(check: ReadinessCheck, withinMs = longestCheckMs): Promise<Error | undefined> {
  try {
    await answerWithin(withinMs, () => check.check());
    return undefined;
  } catch (error) {
    return error instanceof Error ? error : new FailedCheck(String(error));
  }
}
