import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { z } from 'zod';

/** Converts the text of a variable to a value. Its metadata (`right`) describes valid values. */
export type SettingKind<T> = z.ZodType<T, string>;

/** @param right completes "expected …", for example "a whole number from 0 to 65535, for example 8080". */
export function kindOf<T>(right: string, schema: SettingKind<T>): SettingKind<T> {
  return schema.meta({ right });
}

export function rightOf(kind: z.ZodType): string {
  return String(kind.meta()?.right ?? 'something else');
}

export function wholeNumber(range: { min: number; max: number; example?: number }): SettingKind<number> {
  const example = range.example === undefined ? '' : `, for example ${range.example}`;
  return kindOf(
    `a whole number from ${range.min} to ${range.max}${example}`,
    z
      .string()
      // Fifteen digits stay exact as a number.
      .regex(/^\d{1,15}$/, 'is not a whole number')
      .transform(Number)
      .pipe(z.number().min(range.min, 'is too small').max(range.max, 'is too large')),
  );
}

export function oneOf<const V extends readonly [string, ...string[]]>(values: V): SettingKind<V[number]> {
  return kindOf(`one of ${values.join(', ')}`, z.enum(values, 'is not known') as SettingKind<V[number]>);
}

export function text(lengths: { min: number; max: number; right?: string }): SettingKind<string> {
  return kindOf(
    lengths.right ?? `a string of ${lengths.min} to ${lengths.max} characters`,
    z.string().min(lengths.min, 'is too short').max(lengths.max, 'is too long'),
  );
}

/** An address with one of the given schemes (`['postgres:', 'postgresql:']`), kept as written. */
export function address(schemes: readonly string[], right: string): SettingKind<string> {
  return kindOf(
    right,
    z.string().superRefine((value, issues) => {
      if (!URL.canParse(value)) issues.addIssue('is not an address');
      else if (!schemes.includes(new URL(value).protocol)) issues.addIssue('has another scheme');
    }),
  );
}

/** The path of a text file, whose content becomes the value: certificates and keys. */
export function textFile(right: string): SettingKind<string> {
  return kindOf(
    `the path of ${right}`,
    z.string().transform((path, issues) => {
      try {
        return readFileSync(path, 'utf8');
      } catch (error) {
        issues.addIssue(`cannot be read (${(error as NodeJS.ErrnoException).code ?? String(error)})`);
        return z.NEVER;
      }
    }),
  );
}

/** Words separated by commas, each of which has to match a pattern. */
export function list(options: { of: RegExp; most: number; right: string }): SettingKind<string[]> {
  return kindOf(
    options.right,
    z.string().transform((value, issues) => {
      const words = value.split(',').map((word) => word.trim());
      if (words.length > options.most) issues.addIssue(`has more than ${options.most} entries`);
      const wrong = words.find((word) => !options.of.test(word));
      if (wrong !== undefined) issues.addIssue(`holds ${JSON.stringify(wrong.slice(0, 80))}`);
      return words;
    }),
  );
}

/** Trusted proxies, as in Express: the number of proxies in a row, or their addresses, networks and names of networks. */
export const proxies: SettingKind<number | string[]> = kindOf(
  'how many proxies are in front (1 to 9), or their addresses, for example loopback, 10.0.0.0/8',
  z.string().transform((value, issues) => {
    if (/^[1-9]$/.test(value)) return Number(value);
    const words = value.split(',').map((word) => word.trim());
    const wrong = words.find((word) => !isNetwork(word));
    if (wrong !== undefined) issues.addIssue(`holds ${JSON.stringify(wrong.slice(0, 80))}`);
    return words;
  }),
);

function isNetwork(word: string): boolean {
  if (['loopback', 'linklocal', 'uniquelocal'].includes(word)) return true;
  const [address = '', bits, ...rest] = word.split('/');
  const family = isIP(address);
  if (family === 0 || rest.length > 0) return false;
  return (
    bits === undefined ||
    (/^\d{1,3}$/.test(bits) && Number(bits) > 0 && Number(bits) <= (family === 4 ? 32 : 128))
  );
}

/** A text of certain characters only. */
export function word(options: { of: RegExp; right: string }): SettingKind<string> {
  return kindOf(options.right, z.string().regex(options.of, 'has characters that are not allowed'));
}

export const yesOrNo: SettingKind<boolean> = kindOf(
  'yes or no',
  z.enum(['yes', 'no'], 'is not valid').transform((value) => value === 'yes'),
);
