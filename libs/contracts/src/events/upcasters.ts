import { isObject } from '../is-object.js';
import { catalog, type EventName } from './catalog.js';

/** Converts data of one schema version into the next one. Pure; does not change its argument. */
export type Upcaster = (data: Readonly<Record<string, unknown>>) => Record<string, unknown>;

/**
 * Converts data of older schema versions: for each event one function per version, the first from version 1 to 2. The schema version of
 * an event is therefore one more than its number of functions here (`schemaVersion`), so that no version can lack one. A version that
 * only adds a value to an enumeration has a function that returns its data.
 *
 * Functions are never removed, since their events stay in the log (docs/development.md, "Changing an event").
 */
export const upcasters: { readonly [N in EventName]?: readonly Upcaster[] } = {};

/**
 * The CloudEvents types that renamed events had before: events in the log keep theirs, and are read under the new name. Never removed.
 * Queries of the log by type ask for `typesOf` (event-types.ts).
 */
export const formerTypes: { readonly [N in EventName]?: readonly string[] } = {};

/** The schema version of an event that this build writes, and the newest that it reads; from 1. */
export function schemaVersion(name: EventName): number {
  return 1 + (upcasters[name]?.length ?? 0);
}

/**
 * Data of an event as today's schema has them. A value that is not an object is returned unchanged, for the schema to refuse.
 *
 * @param version of the data, from 1 up to `schemaVersion(name)`.
 */
export function upcast(name: EventName, version: number, data: unknown): unknown {
  const steps = upcasters[name]?.slice(version - 1) ?? [];
  return steps.reduce((older, step) => (isObject(older) ? step(older) : older), data);
}

/** All CloudEvents types that an event may have in the log: today's first, then those from before it was renamed. */
export function typesOf(name: EventName): readonly string[] {
  return [catalog[name].type, ...(formerTypes[name] ?? [])];
}

/** The name of each type that an event of the log may have. */
export function namesByType(): Map<string, EventName> {
  const names = Object.keys(catalog) as EventName[];
  return new Map(names.flatMap((name) => typesOf(name).map((type) => [type, name] as const)));
}

const nameByType = namesByType();

/** The short name of a CloudEvents type, also of a former one, or undefined for a type (or version) unknown to this build. */
export function eventName(type: string): EventName | undefined {
  return nameByType.get(type);
}
