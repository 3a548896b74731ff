import { queueOfSubject } from '#contracts';
import type { Attention, StatusView } from '#contracts/api';
import type { PlaceOfRight } from '#platform';

/** What a caller may know: of a queue, and of a hold that concerns its queues. */
export interface ReadLimits {
  readable: (place: PlaceOfRight) => boolean;
  concerns: (place: PlaceOfRight) => boolean;
}

/**
 * The status for a caller who may read only some queues. Each count is the number of entries that the caller sees among the first ones.
 * Entries that concern all of Curtail are left out.
 */
export function limitStatus(status: StatusView, { readable, concerns }: ReadLimits): StatusView {
  const partitions = status.partitions
    .filter(({ partition }) => concerns({ partition }))
    .map((one) => {
      const { partition } = one;
      const of = <T extends { queue: string }>({ first }: { first: T[] }) => {
        const kept = first.filter(({ queue }) => readable({ partition, queue }));
        return { count: kept.length, first: kept };
      };
      const hold = ({ queue }: { queue: string | null }) =>
        concerns({ partition, queue: queue ?? undefined });
      const isWhole = readable({ partition });
      return {
        ...one,
        stops: one.stops.filter(hold),
        freezes: one.freezes.filter(hold),
        above: isWhole ? one.above : of(one.above),
        due: isWhole ? one.due : of(one.due),
        running: isWhole ? one.running : of(one.running),
        waiting: isWhole ? one.waiting : of(one.waiting),
        suspended: isWhole ? one.suspended : 0,
        inventory: isWhole ? one.inventory : null,
      };
    });
  const runs = new Set(
    partitions.flatMap(({ running, waiting }) =>
      [...running.first, ...waiting.first].map(({ enforcement }) => enforcement),
    ),
  );
  const isOwn = ({ about }: Attention) => {
    const queue = queueOfSubject(about);
    if (about.kind === 'enforcement' && runs.has(about.name)) return true;
    return queue !== undefined && partitions.some(({ partition }) => readable({ partition, queue }));
  };
  return {
    ...status,
    attention: status.attention.filter(isOwn),
    partitions,
    unread: 0,
    consumers: [],
    deadLetters: 0,
    webhook: null,
  };
}
