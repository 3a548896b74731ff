import {
  type Delay,
  InputError,
  parseDelayDuration,
  parseDelaySeconds,
  parseQuantity,
  sameLength,
} from '#contracts';
import { at, describe, type Field, type Scalar } from './field.js';
import { type Entries, entriesOf } from './keys.js';
import type { Problems } from './problems.js';
import type { Amount, Amounts, Origin } from './tree.js';

const delayKey = 'quota.preemption.delay';

export function originOf(field: Field | undefined, path: string, otherwise: Origin): Origin {
  return { path, line: field?.line ?? otherwise.line, column: field?.column ?? otherwise.column };
}

/** `max` or `guaranteed`: an unreadable amount is a problem, and is left out. */
export function readFieldAmounts(field: Field | undefined, path: string, problems: Problems): Amounts {
  const amounts = new Map<string, Amount>();
  for (const [resource, { key, value }] of entriesOf(field, path, 'any', problems) ?? []) {
    const fieldPath = at(path, resource);
    if (resource === '') {
      problems.error(fieldPath, 'a resource type has a name; write one before the colon', key);
      continue;
    }
    const origin = originOf(value, fieldPath, { path: fieldPath, ...key });
    const amount = readScalar(value, fieldPath, problems, (scalar) => {
      if (scalar.type === 'boolean') throw new InputError(fieldPath, `${scalar.text} is not a quantity`);
      return parseQuantity(scalar.type === 'null' ? null : scalar.text, resource, fieldPath);
    });
    if (amount !== undefined) amounts.set(resource, { value: amount, unit: unitOf(value), origin });
  }
  return amounts;
}

const unitOf = (value: Field) =>
  value.kind === 'scalar' ? (/[A-Za-z]*$/.exec(value.text.trim())?.[0] ?? '') : '';

/**
 * The delay that a queue sets in one of its two places, in both only with the same length.
 * docs/reference/policies/quota-decrease.md §2.2
 */
export function readDelay(
  resources: Entries,
  properties: Entries,
  paths: { resources: string; properties: string },
  problems: Problems,
): { delay: Delay | undefined; origin: Origin } {
  const beside = readOneDelay(resources, paths.resources, parseDelaySeconds, problems);
  const among = readOneDelay(properties, paths.properties, parseDelayDuration, problems);
  if (among.delay?.bareNumber) {
    problems.warning(
      'delay-bare-number',
      among.origin.path,
      'a number without a unit counts as seconds; write the unit, such as 5m or 300s',
      among.origin,
    );
  }
  if (beside.delay && among.delay && !sameLength(beside.delay, among.delay)) {
    problems.error(
      among.origin.path,
      `the delay is set twice, with different lengths; remove one (the other is ${beside.origin.path})`,
      among.origin,
    );
  }
  return beside.delay === undefined ? among : beside;
}

function readOneDelay(
  entries: Entries,
  path: string,
  parse: (field: Scalar, path: string) => Delay,
  problems: Problems,
): { delay: Delay | undefined; origin: Origin } {
  const fieldPath = at(path, delayKey);
  const entry = entries.get(delayKey);
  const origin = originOf(entry?.value, fieldPath, { path: fieldPath, ...entry?.key });
  if (entry === undefined) return { delay: undefined, origin };
  return {
    delay: readScalar(entry.value, fieldPath, problems, (scalar) => parse(scalar, fieldPath)),
    origin,
  };
}

/** Reads a single value; what cannot be read is a problem, and gives undefined. */
export function readScalar<T>(
  field: Field,
  path: string,
  problems: Problems,
  read: (scalar: Scalar) => T,
): T | undefined {
  if (field.kind !== 'scalar') {
    problems.error(path, `one value is expected here, not ${describe(field)}`, field);
    return undefined;
  }
  try {
    return read(field);
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    problems.error(error.path, error.message, field);
    return undefined;
  }
}
