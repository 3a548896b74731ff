import { type EventName } from '@curtail/contracts';
import { catalog } from '@curtail/contracts/events';

/**
 * The types of events that a consumer leaves alone, of those that this build knows: it is given none of them, and they are
 * neither read nor marked for it. Unknown types are given to it, so that it is put aside with a reason.
 */
export function unwantedTypes({ events }: { events?: readonly EventName[] }): ReadonlySet<string> {
  if (!events) return none;
  return new Set(
    (Object.keys(catalog) as EventName[])
      .filter((name) => !events.includes(name))
      .map((name) => catalog[name].type),
  );
}

const none: ReadonlySet<string> = new Set();
