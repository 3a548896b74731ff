import type { RequestHandler } from 'express';
import type { z } from 'zod';
import { CurtailError, InputError, inPlainWords, schemaFaults } from '#contracts';
import { placeInText } from '../http/parse-json.js';
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

/* Texts that the database does not hold are refused before a route sees them (libs/contracts, `storable.ts`). */

const nul = '\u0000';

/** Refuses an address with the character NUL, in its path or its query. */
export function refuseNulInAddress(): RequestHandler {
  return (request, _response, next) =>
    next(
      /%00/.test(request.originalUrl)
        ? new InputError('', 'The address has the character NUL (%00); leave it out.')
        : undefined,
    );
}

/** @throws InputError if a text that was sent has the character. */
export function assertNoNulInText(text: string): void {
  const at = text.indexOf(nul);
  if (at === -1) return;
  const { line, column } = placeInText(text, at);
  throw new InputError('', 'The body has the character NUL; leave it out.', line, column);
}
