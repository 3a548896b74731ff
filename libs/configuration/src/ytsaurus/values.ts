import { at, describe, type Entry, type Field, isNull } from '../field.js';
import type { Problems } from '../problems.js';

export const none: ReadonlyMap<string, Entry> = new Map();

/** The entries of a mapping; nothing at all is none. Undefined, with a problem, for anything else. */
export function mappingOf(
  field: Field,
  path: string,
  problems: Problems,
): ReadonlyMap<string, Entry> | undefined {
  if (isNull(field)) return none;
  if (field.kind === 'mapping') return field.entries;
  problems.error(path, `a mapping is expected here, not ${describe(field)}`, field);
  return undefined;
}

/** Reads the value of an attribute; undefined, with a problem that names the remedy, if it is invalid. */
export type ReadValue = (field: Field, path: string, problems: Problems) => unknown;

const unitMs: Record<string, number> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const largestAmount = 2n ** 63n - 1n;

/** The types of YTsaurus by their names here. */
const types: Record<string, string> = {
  cpu: 'vcore',
  memory: 'memory',
  user_slots: 'pods',
  gpu: 'nvidia.com/gpu',
  network: 'network',
};
const typeNames = Object.keys(types).join(', ');

export const truth: ReadValue = (field, path, problems) => {
  if (field.kind === 'scalar' && field.type === 'boolean') return field.text.toLowerCase() === 'true';
  return refuse(field, path, problems, 'true or false');
};

/** @param wanted describes the valid numbers. */
export function numberThat(isRight: (number: number) => boolean, wanted: string): ReadValue {
  return (field, path, problems) => {
    const number = field.kind === 'scalar' && field.type === 'number' ? Number(field.text) : Number.NaN;
    return Number.isFinite(number) && isRight(number) ? number : refuse(field, path, problems, wanted);
  };
}

/** Whole milliseconds, or a text with a unit. */
export const duration: ReadValue = (field, path, problems) => {
  const wanted = 'whole milliseconds, at least 0, or a duration such as 500ms, 30s, 5m, 1h or 1d';
  if (field.kind !== 'scalar') return refuse(field, path, problems, wanted);
  const [, digits, unit] = /^(\d{1,15})(ms|s|m|h|d)?$/.exec(field.text) ?? [];
  const isRight = digits !== undefined && (unit === undefined) === (field.type === 'number');
  const ms = isRight ? Number(digits) * (unitMs[unit ?? 'ms'] ?? 1) : Number.NaN;
  return Number.isSafeInteger(ms) ? ms : refuse(field, path, problems, wanted);
};

export function oneOf(...choices: readonly string[]): ReadValue {
  return (field, path, problems) => {
    if (field.kind === 'scalar' && choices.includes(field.text)) return field.text;
    return refuse(field, path, problems, choices.join(' or '));
  };
}

/** @param choices allowed items of the list, with their names here. */
export function listOf(choices: Readonly<Record<string, string>>): ReadValue {
  return (field, path, problems) => {
    const items = field.kind === 'list' ? field.items : undefined;
    const names = items?.map((item) =>
      item.kind === 'scalar' && Object.hasOwn(choices, item.text) ? choices[item.text] : undefined,
    );
    if (names !== undefined && !names.includes(undefined)) return names;
    return refuse(field, path, problems, `a list of ${Object.keys(choices).join(', ')}`);
  };
}

export const resourceType: ReadValue = (field, path, problems) => {
  const type = field.kind === 'scalar' && Object.hasOwn(types, field.text) ? types[field.text] : undefined;
  return type ?? refuse(field, path, problems, `one of ${typeNames}`);
};

/** Base units by type, exact, each with the field that it was read from. */
export function readResources(
  field: Field,
  path: string,
  problems: Problems,
): Map<string, { value: bigint; field: Field; path: string }> {
  const amounts = new Map<string, { value: bigint; field: Field; path: string }>();
  for (const [name, { key, value }] of mappingOf(field, path, problems) ?? []) {
    const type = Object.hasOwn(types, name) ? types[name] : undefined;
    const amountPath = at(path, name);
    if (type === undefined) {
      problems.error(amountPath, `is not a supported type; known are ${typeNames}`, key);
      continue;
    }
    const amount = amountOf(value, type);
    if (amount === undefined) {
      const wanted =
        type === 'vcore' ? 'a number, at least 0, with at most three decimals' : 'a whole number, at least 0';
      problems.error(amountPath, `write ${wanted}, not ${describe(value)}`, value);
    } else {
      amounts.set(type, { value: amount, field: value, path: amountPath });
    }
  }
  return amounts;
}

export const amounts: ReadValue = (field, path, problems) => {
  const read = readResources(field, path, problems);
  return Object.fromEntries([...read].map(([type, { value }]) => [type, Number(value)]));
};

function amountOf(field: Field, type: string): bigint | undefined {
  if (field.kind !== 'scalar' || field.type !== 'number') return undefined;
  const [, whole, decimals = ''] = /^(\d{1,19})(?:\.(\d{1,18}))?$/.exec(field.text) ?? [];
  if (whole === undefined) return undefined;
  const places = type === 'vcore' ? 3 : 0;
  const significant = decimals.replace(/0+$/, '');
  if (significant.length > places) return undefined;
  const amount = BigInt(whole + significant.padEnd(places, '0'));
  return amount <= largestAmount ? amount : undefined;
}

function refuse(field: Field, path: string, problems: Problems, wanted: string): undefined {
  problems.error(path, `write ${wanted}, not ${describe(field)}`, field);
  return undefined;
}
