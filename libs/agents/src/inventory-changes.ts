import type { EventData } from '#contracts';

type Page = EventData<'InventoryListed'>;
export type NodeReport = NonNullable<Page['nodes']>[number];
export type ApplicationReport = NonNullable<Page['applications']>[number];
export type AllocationReport = NonNullable<Page['allocations']>[number];
export type BudgetReport = NonNullable<Page['budgets']>[number];

/** Changes in a cluster since the last call, each thing once. */
export interface InventoryChanges {
  nodes: NodeReport[];
  nodesGone: string[];
  applications: ApplicationReport[];
  applicationsGone: string[];
  allocations: AllocationReport[];
  allocationsGone: { id: string; uid: string; queue: string }[];
  budgets: BudgetReport[];
  budgetsGone: string[];
}

/** The whole inventory. */
export interface InventoryListing {
  nodes: NodeReport[];
  applications: ApplicationReport[];
  allocations: AllocationReport[];
  budgets: BudgetReport[];
}

/**
 * Remembers the reported things of one kind, and returns those that have changed since. It compares things as a whole, in the form that
 * is sent.
 */
export class ReportedItems<T extends { id: string }> {
  private readonly now = new Map<string, T>();
  /** The last report of each thing. */
  private readonly sent = new Map<string, T>();
  private readonly touched = new Set<string>();

  get(id: string): T | undefined {
    return this.now.get(id);
  }

  values(): IterableIterator<T> {
    return this.now.values();
  }

  set(thing: T): void {
    this.now.set(thing.id, thing);
    this.touched.add(thing.id);
  }

  delete(id: string): void {
    if (this.now.delete(id)) this.touched.add(id);
  }

  /** Returns the differences from the last call. */
  take(): { changed: T[]; gone: string[] } {
    const changed: T[] = [];
    const gone: string[] = [];
    for (const id of this.touched) {
      const thing = this.now.get(id);
      if (thing === undefined) {
        if (this.sent.delete(id)) gone.push(id);
        continue;
      }
      const before = this.sent.get(id);
      this.sent.set(id, thing);
      if (before !== undefined && JSON.stringify(before) === JSON.stringify(thing)) continue;
      changed.push(thing);
    }
    this.touched.clear();
    return { changed, gone };
  }
}

/**
 * The counter of an agent: it grows with every message, and across restarts. It begins with the clock, in microseconds, which grows
 * faster than any agent sends.
 */
export class Sequence {
  private last: number;

  /** @param atLeast the greatest sequence that an earlier agent may have sent. */
  constructor(now: number, atLeast = 0) {
    this.last = Math.max(now * 1000, atLeast);
  }

  next(): number {
    this.last += 1;
    return this.last;
  }

  get current(): number {
    return this.last;
  }
}
