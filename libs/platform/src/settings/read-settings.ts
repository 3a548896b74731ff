import { readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import type { Logger } from 'pino';
import { z } from 'zod';
import { nearestOf } from '#contracts';
import { holdSecret } from './secrets.js';
import {
  aboutSetting,
  isVariable,
  type Setting,
  type SettingsOf,
  type SettingsSchema,
  secretFileOf,
  variablesOf,
} from './setting.js';
import { type SettingProblem, SettingsError } from './settings-error.js';

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Reads the variables that a schema names. An empty variable counts as absent. `file` is the path of a file of
 * `NAME=value` lines; the environment takes precedence. A secret may be in a file of its own, which `NAME_FILE` names. Variables of others
 * are ignored, but not a misspelt one: `CURTAIL_MOED=observe` would let unwanted evictions begin.
 * @throws SettingsError that lists every missing or wrong variable, not only the first.
 */
export function readSettings<S extends SettingsSchema>(
  schema: S,
  env: Environment,
  file?: string,
): SettingsOf<S> {
  const fromFile = file === undefined ? {} : readSettingsFile(file);
  const variables = new Set(variablesOf(schema));
  const problems: SettingProblem[] = misspelt(schema, { ...fromFile, ...env });
  const secrets: string[] = [];
  const textOf = (variable: string) => env[variable]?.trim() || fromFile[variable]?.trim() || undefined;
  const texts = Object.fromEntries(
    Object.entries(schema).map(([name, setting]) => {
      if (!variables.has(setting)) return [name, undefined];
      const { variable, secret: isSecret } = aboutSetting(setting);
      const value = textOf(variable);
      if (value !== undefined && isSecret === true) secrets.push(value);
      // The secret in place of the path of its file is a common mistake.
      if (value !== undefined && isSecret === 'file')
        secrets.push(secretIn(value) ?? (isPath(value) ? '' : value));
      const named = secretFileOf(setting, schema);
      const path = named && textOf(named);
      if (path === undefined) return [name, value];
      const secret = secretIn(path);
      if (secret !== undefined) secrets.push(secret);
      if (secret === undefined || value !== undefined)
        problems.push({
          variable: named!,
          ...(secret === undefined
            ? {
                wrong: `names a file that cannot be read, or is empty`,
                remedy: 'name a file with the secret alone',
              }
            : { wrong: `is set, and so is ${variable}`, remedy: 'set one of them' }),
        });
      return [name, secret ?? value];
    }),
  );
  const read = z.object(schema).safeParse(texts);
  if (read.success && problems.length === 0) {
    for (const secret of secrets) holdSecret(secret);
    return read.data as SettingsOf<S>;
  }
  const first = new Map(
    (read.error?.issues ?? []).toReversed().map(({ path, message }) => [String(path[0]), message]),
  );
  const isReported = (setting: Setting<unknown>) =>
    problems.some(({ variable }) => variable === `${aboutSetting(setting).variable}_FILE`);
  const wrong = Object.entries(schema).filter(([name, setting]) => first.has(name) && !isReported(setting));
  throw new SettingsError([
    ...problems,
    ...wrong.map(([name, setting]) => problemOf(setting, texts[name], first.get(name)!)),
  ]);
}

/** The file of settings, and variables of the command line, of compose, of one service or the agent alone, and of the tools for development. */
const ofOthers = new Set(
  (
    'SETTINGS SERVER OUTPUT CONFIG PARTITION DEBUG CLIENT_CERT_FILE CLIENT_KEY_FILE DATABASE_PASSWORD IMAGE CONFIG_INGEST ' +
    'AGENT_CLUSTER AGENT_PARTITION AGENT_LEASE AGENT_TOKEN ' +
    'JAVA GO HELM BROWSER PROMTOOL PG_BIN REDIS_SERVER INFRA_CACHE MAVEN_URL README PROPERTY_RUNS RECORD_HISTORIES'
  )
    .split(' ')
    .map((name) => `CURTAIL_${name}`),
);
/** Of tests, and those that Kubernetes sets for its services. */
const ofOtherPrograms =
  /^CURTAIL_(?:(?:BENCH|TEST)_|(?:.+_)?SERVICE_(?:HOST|PORT)|(?:.+_)?PORT(?:_\d+_TCP|$))/;

function misspelt(schema: SettingsSchema, given: Environment): SettingProblem[] {
  const known = variablesOf(schema).map((setting) => aboutSetting(setting).variable);
  const files = variablesOf(schema).flatMap((setting) => secretFileOf(setting, schema) ?? []);
  return unknownIn(given).flatMap((variable) => {
    const meant = nearestOf(variable, [...known, ...files]);
    return meant === undefined
      ? []
      : [{ variable, wrong: 'is not a setting', remedy: `write ${meant}, or unset it` }];
  });
}

const unknownIn = (given: Environment): string[] =>
  Object.keys(given).filter(
    (name) =>
      given[name]?.trim() &&
      name.startsWith('CURTAIL_') &&
      !(isVariable(name) || ofOthers.has(name) || ofOtherPrograms.test(name)),
  );

/** Warns of each variable that no program reads, such as a setting of another version: it has no effect, which may be unsafe. */
export function warnOfUnknownSettings(log: Logger, env: Environment): void {
  const inFile = env.CURTAIL_SETTINGS === undefined ? {} : readSettingsFile(env.CURTAIL_SETTINGS);
  for (const variable of unknownIn({ ...inFile, ...env }))
    log.warn(
      { variable },
      `${variable} is no setting of this version and has no effect: unset it, or set one that \`--help\` lists.`,
    );
}

/** The content without its surrounding blanks; undefined without any. */
function secretIn(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8').trim() || undefined;
  } catch {
    return undefined;
  }
}

function problemOf(setting: Setting<unknown>, text: string | undefined, reason: string): SettingProblem {
  const { variable, right, secret } = aboutSetting(setting);
  if (text === undefined) return { variable, wrong: 'is not set', remedy: `give ${right}` };
  const isShown = secret === 'file' ? isPath(text) : !secret;
  const value = isShown ? `= ${JSON.stringify(shortened(text))}` : `(secret, ${text.length} characters)`;
  return { variable, wrong: `${value} ${reason}`, remedy: `expected ${right}` };
}

/** Anything else in place of a path may be the secret itself. */
const isPath = (text: string): boolean => /^(?:\.{0,2}|~)\//.test(text);

function shortened(text: string): string {
  return text.length <= 80 ? text : `${text.slice(0, 79)}…`;
}

function readSettingsFile(path: string): Environment {
  try {
    return parseEnv(readFileSync(path, 'utf8')) as Environment;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new SettingsError([
      {
        variable: 'The settings file',
        wrong: `${JSON.stringify(path)} cannot be read (${reason})`,
        remedy: 'give the path of a file of NAME=value lines',
      },
    ]);
  }
}

/** Removes undefined properties. */
export function given<T extends object>(values: T): { [K in keyof T]?: NonNullable<T[K]> } {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as never;
}
