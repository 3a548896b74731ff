import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { BrokenInvariant } from '#contracts';
import { rightOf, type SettingKind } from './kinds.js';

/** The name, meaning and accepted values of a setting: the metadata of its schema. */
export interface AboutSetting {
  /** Of the environment. */
  readonly variable: string;
  readonly help: string;
  /** Completes "expected …". */
  readonly right: string;
  /**
   * A secret is never printed, not even when it is wrong, and neither is the content of a file that only names one (`file`). This is the one
   * place that says which settings are secret.
   */
  readonly secret: boolean | 'file';
}
const abouts = z.registry<AboutSetting>();
/** Of all programs of this process, with the `secret` of each. */
const variables = new Map<string, AboutSetting['secret']>();

/** One environment variable: a schema that reads its text, with its default; or a constant, which reads nothing. */
export type Setting<T> = z.ZodType<T, string | undefined>;

/** A group of settings by the name that the code uses, as `z.object` takes it; groups are joined by spreading them into one. */
export type SettingsSchema = Readonly<Record<string, Setting<unknown>>>;
export type SettingsOf<S extends SettingsSchema> = { readonly [K in keyof S]: z.output<S[K]> };

type About = { help: string; secret?: boolean | 'file' };

/** A setting with a default. */
export function setting<T>(
  variable: string,
  kind: SettingKind<T>,
  about: About & { default: NoInfer<T> },
): Setting<T> {
  return named(kind.default(about.default as never) as unknown as Setting<T>, variable, kind, about);
}

/**
 * A value that cannot be configured: no environment variable sets it, and no document lists it. It is declared among the settings so that a
 * test can replace it; a comment there says why its value is right for all.
 */
export function constant<T>(value: T): Setting<T> {
  return z.custom<T>().default(value as never) as unknown as Setting<T>;
}

/** An optional setting. */
export function optionalSetting<T>(
  variable: string,
  kind: SettingKind<T>,
  about: About,
): Setting<T | undefined> {
  return named(kind.optional(), variable, kind, about);
}

/** A required setting. */
export function requiredSetting<T>(variable: string, kind: SettingKind<T>, about: About): Setting<T> {
  return named(kind.clone() as unknown as Setting<T>, variable, kind, about);
}

function named<T>(
  setting: Setting<T>,
  variable: string,
  kind: SettingKind<unknown>,
  { help, secret = false }: About,
): Setting<T> {
  variables.set(variable, secret);
  abouts.add(setting, { variable, help, right: rightOf(kind), secret });
  return setting;
}

/** Whether a setting of any program of this process has this name, or is read from the file that this variable names. */
export const isVariable = (name: string): boolean =>
  variables.has(name) || (name.endsWith('_FILE') && variables.get(name.slice(0, -5)) === true);

/** @throws BrokenInvariant for a constant, which has no variable. */
export function aboutSetting(setting: Setting<unknown>): AboutSetting {
  const about = abouts.get(setting);
  if (about === undefined) throw new BrokenInvariant('a constant is no variable of the environment');
  return about;
}

/** The settings of a group that are variables of the environment: all but its constants. */
export function variablesOf(group: SettingsSchema): Setting<unknown>[] {
  return Object.values(group).filter((setting) => abouts.has(setting));
}

/**
 * The variable that names a file with a secret: `CURTAIL_TOKEN_FILE` beside `CURTAIL_TOKEN`. Undefined for what is no secret, and where a
 * setting of its own has that name.
 */
export function secretFileOf(setting: Setting<unknown>, group: SettingsSchema): string | undefined {
  const { variable, secret } = aboutSetting(setting);
  const named = `${variable}_FILE`;
  if (secret !== true || variablesOf(group).some((one) => aboutSetting(one).variable === named))
    return undefined;
  return named;
}

/** Whether a value of a setting is its default. */
export function isDefault(of: Setting<unknown>, value: unknown): boolean {
  return of instanceof z.ZodDefault && isDeepStrictEqual(of.def.defaultValue, value);
}

/** The values of a group, out of those of a larger one. */
export function valuesOf<S extends SettingsSchema>(group: S, values: SettingsOf<S>): SettingsOf<S> {
  return Object.fromEntries(
    Object.keys(group).map((name) => [name, values[name as keyof S]]),
  ) as SettingsOf<S>;
}

/** Some settings of a group. */
export function pickSettings<S extends SettingsSchema, K extends keyof S>(
  group: S,
  ...names: K[]
): Pick<S, K> {
  return Object.fromEntries(names.map((name) => [name, group[name]])) as Pick<S, K>;
}

/** The settings as lines for `--help`: name, meaning, accepted values, and default. */
export function describeSettings(schema: SettingsSchema, width = widthOf(schema)): string {
  return variablesOf(schema)
    .map((setting) => {
      const { variable, help } = aboutSetting(setting);
      const file = secretFileOf(setting, schema);
      const inFile = file === undefined ? '' : `, or in the file that ${file} names`;
      return `  ${variable.padEnd(width)}  ${help}${inFile} (${acceptedText(setting)})`;
    })
    .join('\n');
}

/** The same, with each non-empty group under its title. */
export function describeGroups(groups: Readonly<Record<string, SettingsSchema>>): string {
  const width = Math.max(0, ...Object.values(groups).map(widthOf));
  return Object.entries(groups)
    .filter(([, schema]) => variablesOf(schema).length > 0)
    .map(([title, schema]) => `${title}:\n${describeSettings(schema, width)}`)
    .join('\n\n');
}

function widthOf(schema: SettingsSchema): number {
  return Math.max(0, ...variablesOf(schema).map((setting) => aboutSetting(setting).variable.length));
}

/** The accepted values and the default. */
export function acceptedText(setting: Setting<unknown>): string {
  return `${aboutSetting(setting).right}; ${whenAbsent(setting)}`;
}

function whenAbsent(setting: Setting<unknown>): string {
  if (setting instanceof z.ZodDefault) return `default ${defaultText(setting.def.defaultValue)}`;
  return setting instanceof z.ZodOptional ? 'optional' : 'required';
}

/** In the form of an environment variable. */
function defaultText(value: unknown): string {
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
