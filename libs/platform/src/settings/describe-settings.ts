import type { Setting, SettingsSchema } from './setting.js';

/** The settings as lines for `--help`: name, meaning, what it accepts, and what it is when absent. */
export function describeSettings(schema: SettingsSchema): string {
  const settings = Object.values(schema);
  const width = Math.max(0, ...settings.map(({ variable }) => variable.length));
  return settings
    .map((setting) => `  ${setting.variable.padEnd(width)}  ${setting.help} (${accepted(setting)})`)
    .join('\n');
}

function accepted(setting: Setting<unknown>): string {
  const rest = setting.required
    ? 'required'
    : setting.absent === undefined
      ? 'optional'
      : `default ${defaultText(setting.absent)}`;
  return `${setting.kind.right}; ${rest}`;
}

/** As it would be written in the environment. */
function defaultText(value: unknown): string {
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
