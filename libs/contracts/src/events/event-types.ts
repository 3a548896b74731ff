import { catalog, type EventName } from './catalog.js';
import { formerTypes } from './upcasters.js';

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
