import {
  type AllocationReport,
  type ApplicationReport,
  type InventoryChanges,
  type InventoryListing,
  type NodeReport,
  ReportedItems,
} from './inventory-changes.js';

/** The inventory of a cluster that is polled, with the changes since the last report. The id of an allocation is its incarnation. */
export class PolledInventory {
  protected readonly nodes = new ReportedItems<NodeReport>();
  protected readonly applications = new ReportedItems<ApplicationReport>();
  protected readonly allocations = new ReportedItems<AllocationReport>();
  /** The last reported queue of each allocation. */
  private readonly known = new Map<string, string>();

  /** The number of allocations that were reported. */
  get size(): number {
    return this.known.size;
  }

  /** The queue that an allocation counts in; undefined if it is not known. */
  queueOf(allocation: string): string | undefined {
    return this.allocations.get(allocation)?.queue;
  }

  /** Returns the changes since the last call, or since the last listing. */
  changes(): InventoryChanges {
    const nodes = this.nodes.take();
    const applications = this.applications.take();
    const allocations = this.allocations.take();
    const allocationsGone = allocations.gone.map((id) => ({
      id,
      uid: id,
      queue: this.known.get(id) ?? 'root',
    }));
    for (const { id } of allocationsGone) this.known.delete(id);
    for (const { id, queue } of allocations.changed) this.known.set(id, queue);
    return {
      nodes: nodes.changed,
      nodesGone: nodes.gone,
      applications: applications.changed,
      applicationsGone: applications.gone,
      allocations: allocations.changed,
      allocationsGone,
      budgets: [],
      budgetsGone: [],
    };
  }

  /** Returns everything. Changes until now count as reported with it. */
  listing(): InventoryListing {
    this.changes();
    return {
      nodes: [...this.nodes.values()],
      applications: [...this.applications.values()],
      allocations: [...this.allocations.values()],
      budgets: [],
    };
  }
}
