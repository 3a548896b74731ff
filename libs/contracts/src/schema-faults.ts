import type { z } from 'zod';
import { counted, didYouMean, fieldPath, nearestOf, quoted } from './words.js';

type RawIssue = Parameters<z.core.$ZodErrorMap>[0];
type Issue<C extends RawIssue['code']> = Extract<RawIssue, { code: C }>;

/** One fault of an input: its field, such as `allocations[3].resources.memory`, and what would be right. */
interface SchemaFault {
  path: string;
  message: string;
}

/**
 * The error map for input: what is wrong, and what would be right (`safeParse(value, { error: inPlainWords })`). Messages of a schema
 * itself take precedence. A string is quoted only where one of a few words is valid: elsewhere it may be a secret.
 */
export const inPlainWords: z.core.$ZodErrorMap = (issue) => {
  if (issue.code === 'unrecognized_keys') return unknownField(issue);
  const right = rightOf(issue);
  if (right === undefined || issue.code === 'invalid_format' || Number.isNaN(issue.input))
    return right && `it must be ${right}`;
  return `${given(issue)}; it must be ${right}`;
};

/** The faults behind the issues of a schema, at least one for each issue: each unknown field is a fault of its own. */
export function schemaFaults(issues: readonly z.core.$ZodIssue[]): SchemaFault[] {
  const faults = issues.flatMap((issue) => faultsBelow('', issue));
  // A value may break two rules that share their words.
  return [...new Map(faults.map((fault) => [`${fault.path}\n${fault.message}`, fault])).values()];
}

function faultsBelow(above: string, issue: z.core.$ZodIssue): SchemaFault[] {
  const { message } = issue;
  const at = issue.path.reduce<string>(stepBelow, above);
  if (issue.code === 'unrecognized_keys')
    return issue.keys.map((key) => ({ path: fieldPath(at, key), message }));
  const meant = issue.code === 'invalid_union' ? meantMember(issue.errors) : undefined;
  return meant === undefined ? [{ path: at, message }] : meant.flatMap((inside) => faultsBelow(at, inside));
}

const stepBelow = (above: string, key: PropertyKey) =>
  typeof key === 'number' ? `${above}[${key}]` : fieldPath(above, String(key));

/** The issues of the member of a union that the value is probably meant as: of those with issues only in their fields, the one with the fewest. */
function meantMember(members: readonly z.core.$ZodIssue[][]): z.core.$ZodIssue[] | undefined {
  const meant = members.filter((issues) =>
    issues.every(({ path, code }) => path.length > 0 || code === 'unrecognized_keys'),
  );
  return meant.sort((one, other) => one.length - other.length)[0];
}

function unknownField({ keys, inst }: Issue<'unrecognized_keys'>): string {
  const known = Object.keys((inst as z.core.$ZodObject | undefined)?._zod.def.shape ?? {});
  const meant = keys.length === 1 ? nearestOf(keys[0]!, known) : undefined;
  if (meant !== undefined) return `is unknown; did you mean ${meant}?`;
  return `is unknown; known are ${known.join(', ')}`;
}

function given({ code, input }: RawIssue): string {
  if (input === undefined) return 'it is missing';
  const isAboutSize = code === 'too_small' || code === 'too_big';
  if (Array.isArray(input))
    return isAboutSize ? `it has ${counted(input.length, 'entry', 'entries')}` : 'it is a list';
  if (typeof input === 'object' && input !== null) return 'it is an object';
  if (typeof input !== 'string') return `it is ${input}`;
  if (code === 'invalid_value') return `it is ${quoted(input)}`;
  return isAboutSize ? `it has ${counted(input.length, 'character')}` : 'it is a string';
}

/** What follows "it must be". undefined: the message is that of zod. */
function rightOf(issue: RawIssue): string | undefined {
  switch (issue.code) {
    case 'invalid_type':
      return numberNames.has(issue.expected)
        ? numberOf(issue)
        : (typeNames[issue.expected] ?? issue.expected);
    case 'invalid_value':
      return meantOf(issue.input, issue.values.map(String));
    case 'invalid_union':
      return oneOf(issue.errors.flat().flatMap(rightOfMember));
    case 'too_small':
    case 'too_big':
      return inRange(issue);
    case 'invalid_format':
      return formats[issue.format];
    default:
      return undefined;
  }
}

const typeNames: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
};

const numberNames: ReadonlySet<string> = new Set(['number', 'int']);

const formats: Readonly<Record<string, string>> = {
  datetime: 'a time such as 2026-11-21T10:00:00Z',
  uuid: 'a UUID',
  url: 'an address such as https://example.com',
};

/** What a member of a union takes, as far as it refuses the value itself rather than one of its fields. */
function rightOfMember(issue: z.core.$ZodIssue): string[] {
  if (issue.path.length > 0) return [];
  if (issue.code === 'invalid_type') return [typeNames[issue.expected] ?? issue.expected];
  return issue.code === 'invalid_value' ? issue.values.map(String) : [];
}

/** The values, and the one that may be meant where several are possible. */
function meantOf(input: unknown, values: readonly string[]): string | undefined {
  const known = oneOf(values);
  if (typeof input !== 'string' || values.length < 2) return known;
  return known && `${known}${didYouMean(input, values)}`;
}

function oneOf(values: readonly string[]): string | undefined {
  const distinct = [...new Set(values)];
  if (distinct.length < 2) return distinct[0];
  return `${distinct.slice(0, -1).join(', ')} or ${distinct.at(-1)}`;
}

/** The limits that the schema of a number or a string states. */
interface Bounds {
  readonly minValue?: number;
  readonly maxValue?: number;
  readonly isInt?: boolean;
  readonly minLength?: number | null;
  readonly maxLength?: number | null;
}

/** The whole range that is valid, not only the end that the value is beyond. */
function inRange(issue: Issue<'too_small' | 'too_big'>): string {
  const { minLength, maxLength } = (issue.schema ?? {}) as Bounds;
  const isSmall = issue.code === 'too_small';
  const limit = Number(isSmall ? issue.minimum : issue.maximum);
  if (issue.origin === 'string') return `${range(minLength ?? 0, maxLength ?? undefined)} characters long`;
  if (issue.origin === 'array')
    return `a list of ${isSmall ? range(limit, undefined) : range(0, limit)} entries`;
  return isSmall && !issue.inclusive ? `a number above ${limit}` : numberOf(issue);
}

function numberOf({ schema }: RawIssue): string {
  const { minValue, maxValue, isInt } = (schema ?? {}) as Bounds;
  const kind = isInt ? 'a whole number' : 'a number';
  if (minValue === undefined || minValue <= Number.MIN_SAFE_INTEGER) return kind;
  return `${kind} from ${range(minValue, maxValue)}`;
}

function range(least: number, most: number | undefined): string {
  return most === undefined || most >= Number.MAX_SAFE_INTEGER ? `${least} upwards` : `${least} to ${most}`;
}
