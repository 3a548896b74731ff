import { createRequire } from 'node:module';
import { fieldPath } from '../field-path.js';
import { InputError } from '../input-error.js';
import { quoted } from '../shown.js';
import { wantedQuantities } from './wanted-quantities.js';

/** A text of more characters is not a mapping of a few quantities. */
const mostCharacters = 2000;

/**
 * The quantities of a text that is a mapping in YAML or JSON, such as `{memory: 10G, vcore: 4}`: each type with its text, in the order
 * of the mapping. docs/reference/policies/victim-care.md §1
 *
 * @throws InputError at `path` for any other text, at the type for a value that is no single one.
 */
export function quantitiesOfText(text: string, path: string): [type: string, quantity: string][] {
  if (text.length > mostCharacters) {
    throw new InputError(path, `the text has ${text.length} characters; at most ${mostCharacters} are read`);
  }
  // Loaded here, since most inputs have no such text and short commands have to start fast.
  const { isMap, isScalar, parseDocument } = createRequire(import.meta.url)('yaml') as typeof import('yaml');
  // The schema that has texts only: quantities are read from what was typed.
  const { contents, errors } = parseDocument(text, {
    version: '1.2',
    schema: 'failsafe',
    prettyErrors: false,
    // Not silent, so that a second document is an error.
    logLevel: 'error',
  });
  const [fault] = errors;
  if (fault !== undefined) throw new InputError(path, `${fault.message}; ${wantedQuantities}`);
  if (!isMap(contents)) throw new InputError(path, `${quoted(text)} is not a mapping; ${wantedQuantities}`);
  return contents.items.map(({ key, value }) => {
    const type = isScalar(key) ? String(key.value) : '';
    if (value !== null && !isScalar(value)) {
      throw new InputError(fieldPath(path, type), 'one quantity is expected here, such as 10G');
    }
    return [type, value === null ? '' : String(value.value ?? '')];
  });
}
