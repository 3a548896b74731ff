import type { z } from 'zod';
import { inPlainWords, schemaFaults } from '#contracts';
import { RefusedInput } from './refused-input.js';

/** The maximum number of listed errors: the sender of the input determines how many there are. */
const mostErrors = 50;

/**
 * Reads a value that a caller sent.
 * @throws RefusedInput. A ZodError from elsewhere is an internal error, and is answered as one.
 */
export function checkInput<S extends z.ZodType>(schema: S, value: unknown): z.output<S> {
  const result = schema.safeParse(value, { error: inPlainWords });
  if (result.success) return result.data;
  const faults = schemaFaults(result.error.issues);
  const more = faults.length - mostErrors;
  throw new RefusedInput(
    more > 0 ? [...faults.slice(0, mostErrors), { path: '', message: `and ${more} more` }] : faults,
  );
}
