import { findUnstorable, InputError, mayBeUnstorable } from '@curtail/contracts';
import type { RequestHandler } from 'express';

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
  const before = text.slice(0, at);
  const line = before.split('\n').length;
  throw new InputError(
    '',
    'The body has the character NUL; leave it out.',
    line,
    at - before.lastIndexOf('\n'),
  );
}

/**
 * @param value of a JSON text, whose depth is limited.
 * @throws InputError with the path of the field if one of its texts or keys is none that the database holds.
 */
export function assertStorableJson(text: string, value: unknown): void {
  // Nearly every body is searched as a text alone.
  const found = mayBeUnstorable(text) ? findUnstorable(value, '') : undefined;
  if (found) throw new InputError(found.path, found.why);
}
