import { InputError } from '@curtail/contracts';
import type { RequestHandler } from 'express';

/** The database keeps no text with this character, and no name or configuration has it. */
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
 * @throws InputError with the path of the field if one of its texts or keys has the character.
 */
export function assertNoNulInJson(text: string, value: unknown): void {
  // JSON can write it in this one way only, so that nearly every body is searched as a text alone.
  if (/\\u0000/.test(text)) assertNoNul(value, '');
}

function assertNoNul(value: unknown, path: string): void {
  if (typeof value === 'string' && value.includes(nul))
    throw new InputError(path, 'has the character NUL; leave it out');
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) assertNoNul(item, `${path}[${index}]`);
  } else if (typeof value === 'object' && value !== null) {
    for (const [key, item] of Object.entries(value)) {
      if (key.includes(nul)) throw new InputError(path, 'has a key with the character NUL; leave it out');
      assertNoNul(item, path === '' ? key : `${path}.${key}`);
    }
  }
}
