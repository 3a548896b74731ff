import { InputError } from '#contracts';

const PATH = /^root(\.[a-z0-9_:#/@-]{1,64})*$/;
const LONGEST_PATH = 1000;

/** A queue path in lower case, as configurations are kept; InputError for anything else. */
export function queuePath(field: string, path: unknown): string {
  const lower = String(path).toLowerCase();
  if (lower.length > LONGEST_PATH || !PATH.test(lower)) {
    throw new InputError(field, `"${lower.slice(0, 100)}" is not a queue: write a path such as root.load.`);
  }
  return lower;
}

/** The prefix of the ids of everything generated under a queue. */
export function idPrefix(under: string): string {
  return `${under.replace(/^root\./, '')}/`;
}
