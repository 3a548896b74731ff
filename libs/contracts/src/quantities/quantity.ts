import { createRequire } from 'node:module';
import { InputError } from '../input-error.js';
import { cutShort, fieldPath, quoted } from '../words.js';

/** Amounts end where a signed 64-bit integer does. */
export const largestAmount = 2n ** 63n - 1n;

const units: Record<string, bigint> = {
  '': 1n,
  k: 10n ** 3n,
  M: 10n ** 6n,
  G: 10n ** 9n,
  T: 10n ** 12n,
  P: 10n ** 15n,
  E: 10n ** 18n,
  Ki: 2n ** 10n,
  Mi: 2n ** 20n,
  Gi: 2n ** 30n,
  Ti: 2n ** 40n,
  Pi: 2n ** 50n,
  Ei: 2n ** 60n,
};
const unitList = 'k M G T P E or Ki Mi Gi Ti Pi Ei';

/**
 * One quantity of a configuration in base units: memory in bytes, `vcore` in millicores, everything else as written.
 * From 0 to 2^63 - 1, exact. A number counts as its text. docs/reference/policies/quota-decrease.md §2.3
 *
 * @throws InputError at `path`, saying what would be right.
 */
export function parseQuantity(value: unknown, resource: string, path = ''): bigint {
  if (value === null || value === undefined) throw new InputError(path, missing);
  if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'bigint') {
    throw new InputError(
      path,
      `a quantity must be a number or a string such as 10, 500M or 20Gi, not a ${typeof value}`,
    );
  }
  const text = String(value).trim();
  if (text === '') throw new InputError(path, missing);
  const match = /^(\d+)\s*([A-Za-z]*)$/.exec(text);
  if (match === null)
    throw new InputError(path, `${quoted(text)} is not a quantity: ${remedy(text, resource)}`);
  const [, digits = '', unit = ''] = match;
  const base = baseUnits(unit, resource);
  if (base === undefined) {
    throw new InputError(path, `${quoted(text)} has an unknown unit: ${unitRemedy(digits, unit, resource)}`);
  }
  const significant = digits.replace(/^0+(?=\d)/, '');
  // Nineteen digits hold the largest amount; more are not worth turning into a number.
  const amount = significant.length > 19 ? undefined : BigInt(significant) * base;
  if (amount === undefined || amount > largestAmount) {
    throw new InputError(path, `${quoted(text)} is above 9223372036854775807 base units, the largest amount`);
  }
  return amount;
}

const missing =
  'an amount is missing: write one such as 10, 500M or 20Gi, or leave the type out for no limit';

function baseUnits(unit: string, resource: string): bigint | undefined {
  const factor = Object.hasOwn(units, unit) ? units[unit] : undefined;
  if (resource !== 'vcore') return factor;
  return unit === 'm' ? 1n : factor && factor * 1000n;
}

function unitRemedy(digits: string, unit: string, resource: string): string {
  if (unit === 'm') return `m (thousandths) is for vcore only; write ${quoted(resource)} in whole units`;
  const withoutByte = unit.replace(/[bB]$/, '');
  const meant = Object.keys(units).find(
    (known) => known !== '' && known.toLowerCase() === withoutByte.toLowerCase(),
  );
  const shown = cutShort(digits, 20);
  if (meant !== undefined) return `write ${shown}${meant}`;
  return `units are ${unitList}${resource === 'vcore' ? ', and m for thousandths' : ''}`;
}

function remedy(text: string, resource: string): string {
  const shape = `digits and a unit (${unitList}), such as 10, 500M or 20Gi`;
  if (/^-/.test(text)) return 'amounts are 0 or more; leave the type out for no limit';
  if (/^\+\d/.test(text) && text.length < 60) return `write it without the sign: ${text.slice(1)}`;
  const fraction = /^(\d{0,19})\.(\d{1,18})\s*([A-Za-z]*)$/.exec(text);
  if (fraction !== null) return fractionRemedy(fraction, resource);
  if (/^\d+(\.\d+)?[eE][+-]?\d+$/.test(text)) return `no exponents; write all digits, or a unit: ${shape}`;
  return `write ${shape}`;
}

/** The same amount without a fraction: 1.5G as 1500M, 1.5Gi as 1536Mi, 0.5 of a vcore as 500m. */
function fractionRemedy([, whole = '', part = '', unit = '']: RegExpExecArray, resource: string): string {
  const base = baseUnits(unit, resource);
  if (base !== undefined) {
    const scale = 10n ** BigInt(part.length);
    const scaled = BigInt(`${whole}${part}`) * base;
    const sameKind = Object.keys(units).filter((known) => known.endsWith('i') === unit.endsWith('i'));
    const smallest = resource === 'vcore' ? ['m', ''] : [''];
    for (const candidate of [...sameKind.toReversed(), ...smallest]) {
      const size = baseUnits(candidate, resource);
      if (size !== undefined && size < base && scaled % (scale * size) === 0n) {
        return `no fractions; write ${scaled / (scale * size)}${candidate}`;
      }
    }
  }
  return 'no fractions; write a whole number, with a smaller unit where it needs one';
}

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

export const wantedQuantities =
  'write a mapping of types to quantities, such as {memory: 10G, vcore: 4}, or a string that holds one';
