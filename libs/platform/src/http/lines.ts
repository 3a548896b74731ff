import type { Request, Response } from 'express';

/** The media type of a stream with one JSON value a line. */
export const linesType = 'application/x-ndjson';

/**
 * Whether the caller asked for a stream of lines in place of one document. It must name the type: a client without preferences
 * (`Accept: *\/*`) reads answers as JSON.
 */
export function wantsLines(request: Request, response: Response): boolean {
  response.vary('Accept');
  return request.accepts(['application/json', linesType]) === linesType;
}
