import type { ReadinessCheck } from './readiness.js';

/** A check that hangs is one that fails. */
const longestCheckMs = 3000;

/** @returns why it is down, or undefined when it is not. */
export async function askCheck(check: ReadinessCheck): Promise<string | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${longestCheckMs} ms`)), longestCheckMs);
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
