import type { z } from 'zod';
import { CurtailError, inPlainWords, schemaFaults } from '#contracts';
import type { InputProblem } from './problem.js';

/** Input with several errors, all of them listed. For a single one InputError of the contracts is enough. */
export class RefusedInput extends CurtailError {
  readonly code = 'refused-input';

  constructor(
    readonly errors: readonly InputProblem[],
    detail = errors.length === 1 ? errors[0]!.message : `${errors.length} errors in the input.`,
    readonly remedy?: string,
  ) {
    super(detail);
  }
}

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
