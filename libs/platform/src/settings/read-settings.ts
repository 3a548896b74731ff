import { readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import type { Setting, SettingsOf, SettingsSchema } from './setting.js';
import { type SettingProblem, SettingsError } from './settings-error.js';

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Reads the variables that a schema names. A variable that is set to nothing counts as absent. `file` is the path of a
 * file of `NAME=value` lines; the environment goes before it.
 * @throws SettingsError that lists every missing or wrong variable, not only the first.
 */
export function readSettings<S extends SettingsSchema>(
  schema: S,
  env: Environment,
  file?: string,
): SettingsOf<S> {
  const fromFile = file === undefined ? {} : readSettingsFile(file);
  const problems: SettingProblem[] = [];
  const entries = Object.entries(schema).map(([name, setting]) => {
    const text = env[setting.variable]?.trim() || fromFile[setting.variable]?.trim() || undefined;
    return [name, readOne(setting, text, problems)] as const;
  });
  if (problems.length > 0) throw new SettingsError(problems);
  return Object.fromEntries(entries) as SettingsOf<S>;
}

function readOne(setting: Setting<unknown>, text: string | undefined, problems: SettingProblem[]): unknown {
  const { variable, kind } = setting;
  if (text === undefined) {
    if (setting.required) problems.push({ variable, wrong: 'is not set', remedy: `give ${kind.right}` });
    return setting.absent;
  }
  const result = kind.schema.safeParse(text);
  if (result.success) return result.data;
  const reason = result.error.issues[0]?.message ?? 'cannot be used';
  const value = setting.secret
    ? `(secret, ${text.length} characters)`
    : `= ${JSON.stringify(shortened(text))}`;
  problems.push({ variable, wrong: `${value} ${reason}`, remedy: `expected ${kind.right}` });
  return undefined;
}

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
