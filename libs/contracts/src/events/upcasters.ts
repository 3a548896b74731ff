import type { EventName } from './catalog.js';

/** Makes data of one schema version data of the next one. Pure; what it is given stays as it is. */
export type Upcaster = (data: Readonly<Record<string, unknown>>) => Record<string, unknown>;

/**
 * How data of older schema versions become data of today's: for each event one function a version, the first from version 1 to 2.
 * So the schema version of an event is one more than the functions it has here (`schemaVersion`), and a new version cannot be
 * forgotten to be read. A version that only adds a value to an enumeration has a function that returns its data.
 *
 * Functions stay for ever, as does what stands in the log (docs/development.md, "Changing an event").
 */
export const upcasters: { readonly [N in EventName]?: readonly Upcaster[] } = {
  // Version 1 was also written when a run without a plan was not followed by another one: each failure was the first.
  PlanFailed: [(data) => ({ attempt: 1, ...data })],
};

/** The version of an event's schema that this build writes, and the newest that it reads; from 1. */
export function schemaVersion(name: EventName): number {
  return 1 + (upcasters[name]?.length ?? 0);
}

/**
 * Data of an event as today's schema has them. What is no object comes back as it is, for the schema to refuse.
 *
 * @param version of the data, from 1 up to `schemaVersion(name)`.
 */
export function upcast(name: EventName, version: number, data: unknown): unknown {
  const steps = upcasters[name]?.slice(version - 1) ?? [];
  return steps.reduce((older, step) => (isObject(older) ? step(older) : older), data);
}

function isObject(data: unknown): data is Record<string, unknown> {
  return typeof data === 'object' && data !== null && !Array.isArray(data);
}
