import type { DomainEvent, EventName } from '#contracts';
import type { StoredEvent } from '#event-store';

/** The parts of an event that the read model reads. */
export type FoldedEvent<N extends EventName = EventName> = {
  [K in N]: Pick<StoredEvent, 'partition' | 'key' | 'time'> & Extract<DomainEvent, { name: K }>;
}[N];
