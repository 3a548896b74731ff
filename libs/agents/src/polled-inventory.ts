import type { ClusterPoll } from './cluster-poll.js';
import { ReportedInventory } from './inventory-changes.js';
import type { ConfigurationSource, ReportSource, SourceConfiguration } from './port.js';

/** The inventory of a cluster that is polled. The id of an allocation is its incarnation. */
export class PolledInventory extends ReportedInventory {
  /** The number of known allocations. */
  get size(): number {
    return this.allocations.size;
  }

  /** The queue that an allocation counts in; undefined if it is not known. */
  queueOf(allocation: string): string | undefined {
    return this.allocations.get(allocation)?.queue;
  }
}

export interface PolledPartitionOptions {
  /** Undefined while it is unknown. */
  configuration: () => SourceConfiguration | undefined;
  /** Curtail refused the configuration; the message is that of its first error. */
  onRefused: (message: string) => void;
}

/** The one partition of a cluster that is polled. */
export function polledPartition(
  poll: ClusterPoll,
  inventory: PolledInventory,
  { configuration, onRefused }: PolledPartitionOptions,
): ReportSource & ConfigurationSource {
  let listener = () => {};
  return {
    start: async (onChange) => {
      // Reports and configuration have one listener.
      listener = onChange;
      poll.listen(onChange);
    },
    stop: async () => {
      poll.forget(listener);
    },
    changes: () => inventory.changes(),
    listing: () => inventory.listing(),
    get isSynced() {
      return poll.isSynced;
    },
    // A confirmation is of a look that began after it was asked for: the view is as old as that look took.
    isCurrent: () => poll.nextLook(),
    configuration,
    recordOutcome: async (outcome) => {
      if (outcome.kind !== 'refused') return;
      const [first] = outcome.data.errors;
      onRefused(first ? `${first.path}: ${first.message}` : 'without a reason');
    },
  };
}
