import { findUnstorable, InputError, mayBeUnstorable } from '#contracts';
import { parseJson } from './parse-json.js';

/** A long text of JSON to check; a copy of it goes to the thread. */
export interface JsonQuestion {
  text: string;
  depth: number;
  values: number;
}

/** The text without white space around its values; or its fault, since errors do not come out of a thread as they are. */
export type JsonAnswer =
  | { text: string }
  | { fault: { path: string; message: string; line: number | undefined; column: number | undefined } };

/** Never throws for bad input. */
export function checkJson({ text, ...limits }: JsonQuestion): JsonAnswer {
  try {
    const value = parseJson(text, limits);
    assertStorableJson(text, value);
    return { text: JSON.stringify(value) };
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    const { path, message, line, column } = error;
    return { fault: { path, message, line, column } };
  }
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
