import { ServerError } from '../server/server-error.js';
import { CommandError } from '../terminal/errors.js';
import type { Scenario } from './read-scenario.js';

/** Sends a part of a scenario. @throws CommandError with file, line and field where the server refuses a field of that part. */
export async function ofFile<T>(
  { located }: Pick<Scenario, 'located'>,
  part: 'cluster' | 'configuration',
  send: () => Promise<T>,
): Promise<T> {
  try {
    return await send();
  } catch (error) {
    const faults = error instanceof ServerError ? (error.problem.errors ?? []) : [];
    const [first, ...others] = faults.map(({ path, message }) => `${located(part, path)}${message}`);
    if (first === undefined) throw error;
    throw new CommandError(first, { list: others, next: 'correct it, and play the scenario again' });
  }
}
