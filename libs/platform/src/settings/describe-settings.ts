import { z } from 'zod';
import { aboutSetting, type Setting, type SettingsSchema, variablesOf } from './setting.js';

/** The settings as lines for `--help`: name, meaning, accepted values, and default. */
export function describeSettings(schema: SettingsSchema, width = widthOf(schema)): string {
  return variablesOf(schema)
    .map((setting) => {
      const { variable, help } = aboutSetting(setting);
      return `  ${variable.padEnd(width)}  ${help} (${acceptedText(setting)})`;
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
