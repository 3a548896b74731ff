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
export type InventoryListing = Pick<InventoryChanges, 'nodes' | 'applications' | 'allocations' | 'budgets'>;

const idsOf = (things: readonly { id: string }[]): string[] => things.map(({ id }) => id);

/** A thing as it is now (undefined: it is gone) and as it was last reported (undefined: never). */
interface Item<T> {
  now: T | undefined;
  sent: T | undefined;
  isTouched: boolean;
}

/**
 * Remembers the reported things of one kind, and returns those that have changed since. It compares things as a whole, in the form that
 * is sent.
 */
export class ReportedItems<T extends { id: string }> {
  private readonly items = new Map<string, Item<T>>();
  private touched: Item<T>[] = [];

  /** @param isAnother whether a thing has taken the place of an earlier one with its id: the earlier one is gone then. */
  constructor(private readonly isAnother: (earlier: T, now: T) => boolean = () => false) {}

  /** The number of things that are there, or were there at the last report. */
  get size(): number {
    return this.items.size;
  }

  get(id: string): T | undefined {
    return this.items.get(id)?.now;
  }

  *values(): IterableIterator<T> {
    for (const { now } of this.items.values()) if (now !== undefined) yield now;
  }

  set(thing: T): void {
    const item = this.items.get(thing.id);
    if (item !== undefined) {
      item.now = thing;
      this.touch(item);
      return;
    }
    const added = { now: thing, sent: undefined, isTouched: true };
    this.items.set(thing.id, added);
    this.touched.push(added);
  }

  delete(id: string): void {
    const item = this.items.get(id);
    if (item?.now === undefined) return;
    // One that was never reported needs no report of its end.
    if (item.sent === undefined) this.items.delete(id);
    item.now = undefined;
    this.touch(item);
  }

  /** Returns the differences from the last call. A thing that is gone is returned as it was last reported. */
  take(): { changed: T[]; gone: T[] } {
    const changed: T[] = [];
    const gone: T[] = [];
    const { touched } = this;
    this.touched = [];
    for (const item of touched) {
      const { now, sent } = item;
      item.isTouched = false;
      item.sent = now;
      if (now === undefined) {
        if (sent === undefined) continue;
        this.items.delete(sent.id);
        gone.push(sent);
        continue;
      }
      if (sent !== undefined) {
        if (JSON.stringify(sent) === JSON.stringify(now)) continue;
        if (this.isAnother(sent, now)) gone.push(sent);
      }
      changed.push(now);
    }
    return { changed, gone };
  }

  private touch(item: Item<T>): void {
    if (item.isTouched) return;
    item.isTouched = true;
    this.touched.push(item);
  }
}

/** An inventory, with the changes since the last report. */
export class ReportedInventory {
  readonly nodes = new ReportedItems<NodeReport>();
  protected readonly applications = new ReportedItems<ApplicationReport>();
  /** A new incarnation of an id ends the previous one. */
  protected readonly allocations = new ReportedItems<AllocationReport>(
    (earlier, now) => earlier.uid !== now.uid,
  );
  protected readonly budgets = new ReportedItems<BudgetReport>();

  /** Returns the changes since the last call, or since the last listing. */
  changes(): InventoryChanges {
    const nodes = this.nodes.take();
    const applications = this.applications.take();
    const allocations = this.allocations.take();
    const budgets = this.budgets.take();
    return {
      nodes: nodes.changed,
      nodesGone: idsOf(nodes.gone),
      applications: applications.changed,
      applicationsGone: idsOf(applications.gone),
      allocations: allocations.changed,
      allocationsGone: allocations.gone.map(({ id, uid, queue }) => ({ id, uid, queue })),
      budgets: budgets.changed,
      budgetsGone: idsOf(budgets.gone),
    };
  }

  /** Returns everything. Changes until now count as reported with it. */
  listing(): InventoryListing {
    this.changes();
    return {
      nodes: [...this.nodes.values()],
      applications: [...this.applications.values()],
      allocations: [...this.allocations.values()],
      budgets: [...this.budgets.values()],
    };
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
