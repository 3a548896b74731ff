import { catalog, type EventName, eventName } from '@curtail/contracts';
import type { KnownEvent, StoredEvent } from './stored-event.js';

/** An event that this build cannot read: an unknown type or version, or data that break the schema of its type. */
export class UnreadableEvent extends Error {
  override readonly name = 'UnreadableEvent';

  /** @param field what is wrong: `data.queue`, or an attribute such as `type`. */
  constructor(
    message: string,
    readonly field: string,
  ) {
    super(message);
  }
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
  const checkedEvent = { ...event, name: knownName(event) } as KnownEvent;
  checkedBefore.set(event, checkedEvent);
  return checkedEvent;
}

/**
 * The name of an event whose data match the schema of its type. For one reader of very many events: nothing is remembered.
 *
 * @throws UnreadableEvent
 */
export function knownName(event: Pick<StoredEvent, 'id' | 'type' | 'data'>): EventName {
  const name = eventName(event.type);
  if (!name) {
    throw new UnreadableEvent(
      `event ${event.id} has the type ${event.type}, which this version of Curtail does not know: upgrade the consumer, or correct the sender`,
      'type',
    );
  }
  const checked = catalog[name].schema.safeParse(event.data);
  if (checked.success) return name;
  const issue = checked.error.issues[0];
  const field = ['data', ...(issue?.path ?? [])].join('.');
  throw new UnreadableEvent(
    `event ${event.id} (${event.type}) breaks its schema at ${field}: ${issue?.message ?? ''}`,
    field,
  );
}
