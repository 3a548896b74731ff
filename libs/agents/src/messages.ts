import type { DomainEvent, EventData, EventName } from '#contracts';
import type { InventoryChanges, InventoryListing, Sequence } from './inventory-changes.js';
import type { AnswerOfOwner, FromCurtail, Message } from './port.js';

/** Items of each kind in one page. */
const pageItems = 1000;

const message = <N extends EventName>(name: N, key: string, data: EventData<N>): Message =>
  ({ event: { name, data }, key }) as Message;

/** Reports of changes: released allocations first, budgets and applications before their allocations, what ended or was removed last. */
export function changeMessages(partition: string, changes: InventoryChanges, sequence: Sequence): Message[] {
  const report = () => ({ partition, sequence: sequence.next() });
  return [
    ...changes.allocationsGone.map(({ id, uid, queue }) =>
      message('AllocationReleased', queue, { ...report(), id, uid }),
    ),
    ...changes.nodes.map((node) => message('NodeAdded', node.id, { ...report(), ...node })),
    ...changes.budgets.map((budget) => message('BudgetSet', partition, { ...report(), ...budget })),
    ...changes.applications.map((one) => message('ApplicationSubmitted', one.queue, { ...report(), ...one })),
    ...changes.allocations.map((one) => message('AllocationStarted', one.queue, { ...report(), ...one })),
    ...changes.applicationsGone.map((id) => message('ApplicationEnded', id, { ...report(), id })),
    ...changes.budgetsGone.map((id) => message('BudgetRemoved', partition, { ...report(), id })),
    ...changes.nodesGone.map((id) => message('NodeRemoved', id, { ...report(), id })),
  ];
}

/** The whole inventory, in pages with one sequence. An empty cluster is one empty page. */
export function listingMessages(partition: string, listing: InventoryListing, sequence: Sequence): Message[] {
  const { nodes, applications, allocations, budgets } = listing;
  const pages = Math.max(
    1,
    ...[nodes, applications, allocations, budgets].map(({ length }) => Math.ceil(length / pageItems)),
  );
  const at = sequence.next();
  return Array.from({ length: pages }, (_, index) => {
    const slice = <T>(all: readonly T[]) => all.slice(index * pageItems, (index + 1) * pageItems);
    return message('InventoryListed', partition, {
      partition,
      sequence: at,
      page: index + 1,
      last: index + 1 === pages,
      nodes: slice(nodes),
      applications: slice(applications),
      allocations: slice(allocations),
      budgets: slice(budgets),
    });
  });
}

export const confirmation = (partition: string, lastSequence: number): Message =>
  message('InventoryConfirmed', partition, { partition, lastSequence });

export const answerMessage = (
  { evictionId, attempt, queue }: Pick<EventData<'EvictionRequested'>, 'evictionId' | 'attempt' | 'queue'>,
  outcome: object,
): Message =>
  message('EvictionAnswered', queue, { evictionId, attempt, ...outcome } as EventData<'EvictionAnswered'>);

export const ownerAnswer = (partition: string, answered: AnswerOfOwner): Message =>
  message('OwnerAnswerSent', answered.allocation, { partition, ...answered });

export const submission = (data: EventData<'ConfigSubmitted'>): Message =>
  message('ConfigSubmitted', data.partition, data);

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
