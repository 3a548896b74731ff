import { setTimeout as delay } from 'node:timers/promises';
import { Questions } from '../support/query.js';

const longestWaitMs = 120_000;

/**
 * Asks the database until the first column of its answer is true; also while it is away. Rejects after two minutes, with the
 * last answer and with what `otherwise` states of where things stand.
 */
export async function until(
  databaseUrl: () => Promise<string>,
  condition: string,
  otherwise: () => string,
): Promise<void> {
  const questions = new Questions(databaseUrl);
  let answer: unknown;
  try {
    for (const end = Date.now() + longestWaitMs; Date.now() < end; await delay(50)) {
      const rows = await questions.ask(condition).catch((error: Error) => [{ error: error.message }]);
      [answer] = rows;
      if (Object.values(rows[0] ?? {})[0] === true) return;
    }
  } finally {
    await questions.close();
  }
  throw new Error(
    `not so within ${longestWaitMs / 1000} s: ${JSON.stringify(answer)} for ${condition}\n${otherwise()}`,
  );
}
