import { InputError } from '#contracts';
import { parseJson } from './parse-json.js';
import { assertStorableJson } from './storable-json.js';

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
