import type { SnapshotAllocation } from '@curtail/contracts';
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

/** Allocations kept in one process. Larger queues are read completely each time. */
export const mostKept = 250_000;
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

  keep(partition: string, queue: string, kept: Kept): void {
    const key = keyOf(partition, queue);
    this.forget(key);
    const forget = setTimeout(() => this.forget(key), keptMs).unref();
    this.queues.set(key, { kept, forget });
    let count = 0;
    // The latest first.
    for (const [other, { kept: of }] of [...this.queues].reverse()) {
      count += of.allocations.length;
      if (count > mostKept) this.forget(other);
    }
  }

  private forget(key: string): void {
    clearTimeout(this.queues.get(key)?.forget);
    this.queues.delete(key);
  }
}

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
