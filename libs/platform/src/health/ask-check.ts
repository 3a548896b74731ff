import { NoAnswer } from '@curtail/waiting';
import type { ReadinessCheck } from './readiness.js';

/** A check that hangs counts as failed. */
const longestCheckMs = 3000;

/** @returns the reason why it is down, or undefined if it is up. */
export async function askCheck(check: ReadinessCheck): Promise<string | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new NoAnswer(`no answer within ${longestCheckMs} ms`)), longestCheckMs);
  });
  try {
    await Promise.race([check.check(), late]);
    return undefined;
  } catch (error) {
    return (error instanceof Error && error.message) || String(error);
  } finally {
    clearTimeout(timer);
  }
}
