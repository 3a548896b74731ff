import type { DomainEvent, EventName } from '#contracts';
import type { FromCurtail } from './port.js';

/** The events of Curtail that agents act on; each transport skips all others. */
export const eventsForAgents = [
  ...(['EvictionRequested', 'EvictionAnnounced', 'OwnerAnswered', 'OwnerAnswerRefused'] as const),
  ...(['VictimEvicted', 'VictimGone', 'ConfigApplied', 'ConfigRefused'] as const),
] satisfies EventName[];

export type EventForAgents = DomainEvent<(typeof eventsForAgents)[number]>;

export const isForAgents = (name: string | undefined): name is EventForAgents['name'] =>
  (eventsForAgents as readonly (string | undefined)[]).includes(name);

/** Calls the handler of an event. */
export function hand({ name, data }: EventForAgents, handlers: FromCurtail): void {
  switch (name) {
    case 'EvictionRequested':
      handlers.evict(data);
      break;
    case 'EvictionAnnounced':
      handlers.announce(data);
      break;
    case 'OwnerAnswered':
      handlers.answered({ kind: 'accepted', data });
      break;
    case 'OwnerAnswerRefused':
      handlers.answered({ kind: 'refused', data });
      break;
    case 'VictimEvicted':
      handlers.recorded?.({ kind: 'evicted', data });
      break;
    case 'VictimGone':
      if (data.code === 'gone-after-request') handlers.recorded?.({ kind: 'unknown', data });
      break;
    case 'ConfigApplied':
      handlers.configuration({ kind: 'applied', data });
      break;
    case 'ConfigRefused':
      handlers.configuration({ kind: 'refused', data });
      break;
  }
}
