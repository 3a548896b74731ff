import { type EventName, isObject } from '#contracts';
import { catalog, schemaVersion, typesOf } from '#contracts/events';
import { eventSchemas } from '../../scripts/documents/event-schemas.js';

type Json = Record<string, unknown>;

/** Of each event by its type, also by former ones: the version of its schema, and the schema (JSON Schema). */
export type Schemas = Record<string, { version: number; schema: Json }>;

export function schemasOfToday(): Schemas {
  const { $defs } = eventSchemas() as { $defs: Record<string, Json> };
  return Object.fromEntries(
    (Object.keys(catalog) as EventName[]).flatMap((name) => {
      const now = { version: schemaVersion(name), schema: $defs[name]! };
      return typesOf(name).map((type) => [type, now]);
    }),
  );
}

/** Only for people. */
const words = new Set(['description', 'title', '$schema']);

/**
 * Where two schemas differ in more than new properties that may be left out: such a change needs a new schema version, since a reader
 * of one would refuse, or misunderstand, data of the other.
 *
 * @returns paths; empty if one version can have both.
 */
export function differences(before: unknown, after: unknown, path = ''): string[] {
  if (!isObject(before) || !isObject(after)) {
    return JSON.stringify(before) === JSON.stringify(after) ? [] : [path];
  }
  const keys = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...keys].flatMap((key) => {
    if (words.has(key) && typeof (before[key] ?? after[key]) === 'string') return [];
    const at = path === '' ? key : `${path}.${key}`;
    if (key === 'properties') return differentProperties(before, after, at);
    if (Array.isArray(before[key]) && Array.isArray(after[key]))
      return differentLists(before[key], after[key], at);
    return differences(before[key], after[key], at);
  });
}

/** Whether a property may be left out is set by the list `required`, which has to stay as it is. */
function differentProperties(before: Json, after: Json, path: string): string[] {
  const [old, now] = [before.properties, after.properties].map((one) => (isObject(one) ? one : {})) as [
    Json,
    Json,
  ];
  return Object.keys(old).flatMap((name) =>
    name in now ? differences(old[name], now[name], `${path}.${name}`) : [`${path}.${name}`],
  );
}

function differentLists(before: unknown[], after: unknown[], path: string): string[] {
  if (before.length !== after.length) return [path];
  const isSet = before.every((one) => typeof one === 'string');
  const [old, now] = isSet ? [[...before].sort(), [...after].sort()] : [before, after];
  return old.flatMap((one, i) => differences(one, now[i], `${path}[${i}]`));
}
