import { setTimeout as delay } from 'node:timers/promises';
import { Questions } from '../support/query.js';

const longestWaitMs = 120_000;

/**
 * Asks the database until it answers true; also while it is away. Rejects after two minutes, with what `otherwise` states of
 * where things stand.
 */
export async function until(
  databaseUrl: () => Promise<string>,
  condition: string,
  otherwise: () => string,
): Promise<void> {
  const questions = new Questions(databaseUrl);
  try {
    for (const end = Date.now() + longestWaitMs; Date.now() < end; await delay(50)) {
      const rows = await questions.ask(condition).catch(() => []);
      if (Object.values(rows[0] ?? {})[0] === true) return;
    }
  } finally {
    await questions.close();
  }
  throw new Error(`not so within ${longestWaitMs / 1000} s: ${condition}\n${otherwise()}`);
}
