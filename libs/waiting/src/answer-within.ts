import { NoAnswer } from './no-answer.js';

/**
 * The answer of a server to `ask`. The request is not cut off: the caller ends its connection.
 *
 * @throws NoAnswer after `ms` milliseconds, and the error of `ask` before.
 */
export async function answerWithin<T>(ms: number, ask: () => Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new NoAnswer(`no answer within ${ms} ms`)), ms);
  });
  try {
    return await Promise.race([ask(), late]);
  } finally {
    clearTimeout(timer);
  }
}
