import type { SettingKind } from './kinds.js';

/** One environment variable: what it is called, means, accepts, and is when nobody sets it. */
export interface Setting<T> {
  readonly variable: string;
  readonly help: string;
  readonly kind: SettingKind<unknown>;
  /** A secret is never printed, not even when it is wrong. */
  readonly secret: boolean;
  readonly required: boolean;
  /** The value when the variable is absent or empty. */
  readonly absent: T | undefined;
  /** Holds the type only. */
  readonly value?: T;
}

/** A group of settings by the name that the code uses; groups are joined by spreading them into one. */
export type SettingsSchema = Readonly<Record<string, Setting<unknown>>>;
export type SettingsOf<S extends SettingsSchema> = {
  readonly [K in keyof S]: S[K] extends Setting<infer T> ? T : never;
};

interface About {
  help: string;
  secret?: boolean;
}

/** A setting with a value of its own when the variable is absent. */
export function setting<T>(
  variable: string,
  kind: SettingKind<T>,
  about: About & { default: NoInfer<T> },
): Setting<T> {
  return { ...common(variable, kind, about), required: false, absent: about.default };
}

/** A setting that may stay unset. */
export function optionalSetting<T>(
  variable: string,
  kind: SettingKind<T>,
  about: About,
): Setting<T | undefined> {
  return { ...common(variable, kind, about), required: false, absent: undefined };
}

/** A setting without which there is no start. */
export function requiredSetting<T>(variable: string, kind: SettingKind<T>, about: About): Setting<T> {
  return { ...common(variable, kind, about), required: true, absent: undefined };
}

function common(variable: string, kind: SettingKind<unknown>, about: About) {
  return { variable, kind, help: about.help, secret: about.secret ?? false };
}

/** The values of a group, out of those of a larger one. */
export function valuesOf<S extends SettingsSchema>(group: S, values: SettingsOf<S>): SettingsOf<S> {
  return Object.fromEntries(
    Object.keys(group).map((name) => [name, values[name as keyof S]]),
  ) as SettingsOf<S>;
}

/** Some settings of a group. */
export function someOf<S extends SettingsSchema, K extends keyof S>(group: S, ...names: K[]): Pick<S, K> {
  return Object.fromEntries(names.map((name) => [name, group[name]])) as Pick<S, K>;
}
