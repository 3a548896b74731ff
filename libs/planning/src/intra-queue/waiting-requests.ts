import type { InQueueSnapshot } from './in-queue-snapshot.js';

/** A request as pairs of type and amount above 0. */
type Request = readonly (readonly [type: number, amount: number])[];

/**
 * With the setting `fitAware`: whether an allocation has room for one request that waits. docs/reference/policies/intra-queue.md §6.2.
 * A request for nothing, or for no times, does not wait.
 */
export class WaitingRequests {
  private readonly requests: readonly Request[];

  /** @param applications numbers of those that get something. */
  constructor(
    private readonly snapshot: InQueueSnapshot,
    applications: Iterable<number>,
  ) {
    const { first, count, firstEntry, entryType, entryAmount } = snapshot.applications.pending;
    const distinct = new Map<string, Request>();
    for (const application of applications) {
      const place = snapshot.applicationPlace[application]!;
      for (let r = first[place]!; r < first[place + 1]!; r++) {
        if (count[r] === 0) continue;
        const request: [number, number][] = [];
        for (let e = firstEntry[r]!, end = firstEntry[r + 1]!; e < end; e++) {
          if (entryAmount[e]! > 0) request.push([entryType[e]!, entryAmount[e]!]);
        }
        if (request.length > 0) distinct.set(JSON.stringify(request), request);
      }
    }
    this.requests = [...distinct.values()];
  }

  oneFits(allocation: number): boolean {
    return this.requests.some((request) =>
      request.every(([type, amount]) => this.amountOf(allocation, type) >= amount),
    );
  }

  private amountOf(allocation: number, type: number): number {
    const { size, firstEntry, entryType, entryAmount } = this.snapshot.allocations;
    for (let e = firstEntry[size[allocation]!]!, end = firstEntry[size[allocation]! + 1]!; e < end; e++) {
      if (entryType[e] === type) return entryAmount[e]!;
    }
    return 0;
  }
}
