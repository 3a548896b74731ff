import type { RequestHandler } from 'express';
import { InputError } from '#contracts';
import { placeInText } from './parse-json.js';

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
