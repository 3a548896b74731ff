import type { SnapshotAllocation } from '#contracts';
import type { SharedParts } from './rows.js';

/** The allocations of a queue as they were at a moment of the database. */
export interface Kept {
  allocations: readonly SnapshotAllocation[];
  shared: SharedParts;
  /** Transactions before this one had ended: what is not younger is among the allocations, unchanged. */
  before: string;
  /** The database and the run of the server that count these transactions; null where the server does not show them. */
  server: string | null;
  /** When that moment had passed, by `performance.now()`. */
  readBy: number;
}

/** A queue with more allocations than this is very large. Of other queues, a process keeps this many allocations together. */
export const veryLarge = 250_000;
/** A process keeps one very large queue beside them, once it has read it ahead. Queues with more allocations are read completely each time. */
export const mostKept = 1_000_000;
const keptMs = 60_000;

/** What was read of large queues, for some time: the next plan of the same queue reads only what has changed since. */
export class KeptAllocations {
  private readonly queues = new Map<string, { kept: Kept; forget: NodeJS.Timeout }>();
  private readonly reading = new Map<string, Promise<unknown>>();

  /**
   * Reads of one queue take turns: the next one finds what the one before has kept.
   *
   * @param read begins its transaction. It is given the time before that.
   */
  async inTurn<T>(partition: string, queue: string, read: (began: number) => Promise<T>): Promise<T> {
    const key = keyOf(partition, queue);
    const before = this.reading.get(key);
    const mine = (async () => {
      await before?.catch(() => {});
      return read(performance.now());
    })();
    this.reading.set(key, mine);
    try {
      return await mine;
    } finally {
      if (this.reading.get(key) === mine) this.reading.delete(key);
    }
  }

  /** @param began before the transaction that is to read the changes: what is newer than that does not help it. */
  find(partition: string, queue: string, began: number): Kept | undefined {
    const kept = this.queues.get(keyOf(partition, queue))?.kept;
    return kept && kept.readBy <= began ? kept : undefined;
  }

  /** Whether the allocations of this queue are kept now. */
  has(partition: string, queue: string): boolean {
    return this.queues.has(keyOf(partition, queue));
  }

  /** Whether a very large queue is kept now. */
  hasVeryLarge(): boolean {
    return [...this.queues.values()].some(({ kept }) => isVeryLarge(kept));
  }

  /** @param isAhead a plan is about to need it: otherwise a very large queue stays unknown if it was not kept before. */
  keep(partition: string, queue: string, kept: Kept, isAhead: boolean): void {
    const key = keyOf(partition, queue);
    const isWanted = !isVeryLarge(kept) || isAhead || this.queues.has(key);
    this.forget(key);
    if (!isWanted || kept.allocations.length > mostKept) return;
    const forget = setTimeout(() => this.forget(key), keptMs).unref();
    this.queues.set(key, { kept, forget });
    const counts = { large: 0, veryLarge: 0 };
    // The latest first.
    for (const [other, { kept: of }] of [...this.queues].reverse()) {
      if (isVeryLarge(of)) counts.veryLarge++;
      else counts.large += of.allocations.length;
      if (isVeryLarge(of) ? counts.veryLarge > 1 : counts.large > veryLarge) this.forget(other);
    }
  }

  private forget(key: string): void {
    clearTimeout(this.queues.get(key)?.forget);
    this.queues.delete(key);
  }
}

const isVeryLarge = ({ allocations }: Kept) => allocations.length > veryLarge;

const keyOf = (partition: string, queue: string) => JSON.stringify([partition, queue]);

/**
 * The allocations with these ids, in their order: those that have changed, and all others as they were kept.
 *
 * @param ids in the order in which the kept ones are.
 * @returns undefined where one of them is neither changed nor kept, or there twice.
 */
export function merged(
  ids: readonly string[],
  kept: readonly SnapshotAllocation[],
  changed: readonly SnapshotAllocation[],
): SnapshotAllocation[] | undefined {
  const changes = new Map(changed.map((allocation) => [allocation.id, allocation]));
  const all: SnapshotAllocation[] = [];
  let next = 0;
  let previous: string | undefined;
  for (const id of ids) {
    if (id === previous) return undefined;
    previous = id;
    const change = changes.size > 0 ? changes.get(id) : undefined;
    if (change) {
      all.push(change);
      continue;
    }
    while (next < kept.length && kept[next]!.id !== id) next++;
    const known = kept[next++];
    if (!known) return undefined;
    all.push(known);
  }
  return all;
}
