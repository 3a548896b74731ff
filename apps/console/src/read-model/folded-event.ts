import type { DomainEvent, EventName } from '@curtail/contracts';
import type { StoredEvent } from '@curtail/event-store';

/** What the read model looks at of an event. */
export type FoldedEvent<N extends EventName = EventName> = {
  [K in N]: Pick<StoredEvent, 'partition' | 'key' | 'time'> & Extract<DomainEvent, { name: K }>;
}[N];
