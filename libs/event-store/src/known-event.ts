import { catalog, eventName } from '@curtail/contracts';
import type { KnownEvent, StoredEvent } from './stored-event.js';

/** An event that this build cannot read: an unknown type or version, or data that break the schema of its type. */
export class UnreadableEvent extends Error {
  override readonly name = 'UnreadableEvent';
}

/** Several consumers look at one and the same event. */
const checkedBefore = new WeakMap<StoredEvent, KnownEvent>();

/**
 * Checks an event against the catalog.
 *
 * @throws UnreadableEvent that names the type, or the field that is wrong.
 */
export function known(event: StoredEvent): KnownEvent {
  const before = checkedBefore.get(event);
  if (before) return before;
  const name = eventName(event.type);
  if (!name) {
    throw new UnreadableEvent(
      `event ${event.id} has the type ${event.type}, which this version of Curtail does not know: upgrade the consumer, or correct the sender`,
    );
  }
  const checked = catalog[name].schema.safeParse(event.data);
  if (!checked.success) {
    const issue = checked.error.issues[0];
    throw new UnreadableEvent(
      `event ${event.id} (${event.type}) breaks its schema at data.${issue?.path.join('.') ?? ''}: ${issue?.message ?? ''}`,
    );
  }
  const checkedEvent = { ...event, name } as KnownEvent;
  checkedBefore.set(event, checkedEvent);
  return checkedEvent;
}
