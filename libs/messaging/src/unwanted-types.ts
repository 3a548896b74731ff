import { type EventName } from '#contracts';
import { catalog, typesOf } from '#contracts/events';

/**
 * The types of events that a consumer ignores, of those that this build knows: they are not passed to it, and neither
 * read nor marked for it. Unknown types are passed to it, so that they become dead letters with a reason.
 */
export function unwantedTypes({ events }: { events?: readonly EventName[] }): ReadonlySet<string> {
  if (!events) return none;
  return new Set(
    (Object.keys(catalog) as EventName[]).filter((name) => !events.includes(name)).flatMap(typesOf),
  );
}

const none: ReadonlySet<string> = new Set();
