import type { AllocationReport } from '../inventory-changes.js';
import { PolledInventory } from '../polled-inventory.js';
import { askOf, heldByJob, type OperationView, type TreeLook } from './look.js';
import { type TagFilter, tagsOf } from './tag-filter.js';

export interface YtInventoryOptions {
  /** Whether any job was asked to end. */
  hasEnding: () => boolean;
  /** Whether a job was asked to end. */
  isEnding: (job: string) => boolean;
}

/** The inventory of a tree, as looks show it, with the changes since the last report. */
export class YtInventory extends PolledInventory {
  private shown: TreeLook | undefined;
  private hadEnding = false;
  /** The views that are reported, with their jobs that were ending. */
  private readonly views = new Map<string, { view: OperationView; ending: string }>();

  constructor(private readonly options: YtInventoryOptions) {
    super();
  }

  /** The operation of a job; undefined if it is not known. */
  operationOf(job: string): string | undefined {
    return this.allocations.get(job)?.application;
  }

  show(look: TreeLook): void {
    const hasEnding = this.options.hasEnding();
    const isSame = look.nodes === this.shown?.nodes && look.operations === this.shown.operations;
    if (isSame && !hasEnding && !this.hadEnding) return;
    this.hadEnding = hasEnding;
    const filters = new Map<string, TagFilter>();
    for (const { listed } of look.operations.values()) {
      if (listed !== undefined && !filters.has(listed.tagFilter))
        filters.set(listed.tagFilter, tagsOf(listed.tagFilter));
    }
    if (!isSame) this.showNodes(look, filters);
    for (const [id, { view }] of this.views) {
      if (look.operations.has(id)) continue;
      this.views.delete(id);
      this.applications.delete(id);
      for (const job of view.jobs) this.allocations.delete(job.id);
    }
    const endingOf = ({ jobs }: OperationView) =>
      jobs.flatMap(({ id }) => (this.options.isEnding(id) ? [id] : [])).join();
    for (const view of look.operations.values()) {
      const known = this.views.get(view.id);
      const ending = hasEnding ? endingOf(view) : '';
      if (known?.view === view && known.ending === ending) continue;
      this.showOperation(view, known?.view, filters.get(view.listed?.tagFilter ?? '') ?? { tags: [] });
      this.views.set(view.id, { view, ending });
    }
    this.shown = look;
  }

  /** Nodes are labelled with the tags that filters of operations name. A node that only jobs name is one that the scheduler has lost. */
  private showNodes({ nodes, operations }: TreeLook, filters: ReadonlyMap<string, TagFilter>): void {
    const named = new Set([...filters.values()].flatMap(({ tags }) => tags ?? []));
    const there = new Set<string>();
    for (const { address, capacity, tags } of nodes) {
      there.add(address);
      const labels = Object.fromEntries(tags.filter((tag) => named.has(tag)).map((tag) => [tag, 'true']));
      this.nodes.set({ id: address, capacity, ...(Object.keys(labels).length > 0 && { labels }) });
    }
    for (const { jobs } of operations.values()) {
      for (const { node } of jobs) {
        if (node === undefined || there.has(node)) continue;
        there.add(node);
        this.nodes.set({ id: node, capacity: {}, schedulable: false });
      }
    }
    for (const { id } of [...this.nodes.values()]) if (!there.has(id)) this.nodes.delete(id);
  }

  private showOperation(view: OperationView, before: OperationView | undefined, filter: TagFilter): void {
    const { id, orchid, listed, queue, jobs, held, isSettled } = view;
    const ask = isSettled && filter.tags !== undefined ? askOf(orchid) : undefined;
    const limits = listed?.limits ?? {};
    const tags = filter.tags ?? [];
    this.applications.set({
      id,
      queue,
      ...(listed?.user !== undefined && { user: listed.user }),
      submittedAt: listed === undefined ? earliestOf(jobs) : new Date(listed.startedAt).toISOString(),
      pending: ask === undefined ? [] : [ask],
      properties: {
        weight: listed?.weight ?? orchid.weight ?? 1,
        ...(listed?.suspended && { suspended: true }),
        ...(orchid.isGang && { isGang: true }),
        ...(orchid.isGraceful && { preemptionMode: 'graceful' }),
        ...(Object.keys(limits).length > 0 && { resourceLimits: limits }),
        ...(tags.length > 0 && { schedulingTagFilter: Object.fromEntries(tags.map((tag) => [tag, 'true'])) }),
      },
    });
    if (before !== undefined) {
      const there = new Set(jobs.map((job) => job.id));
      for (const job of before.jobs) if (!there.has(job.id)) this.allocations.delete(job.id);
    }
    for (const { id: job, node, startedAt } of jobs) {
      const report: AllocationReport = {
        id: job,
        uid: job,
        application: id,
        queue,
        resources: heldByJob(held, job),
        startedAt,
        state: this.options.isEnding(job) ? 'releasing' : 'running',
      };
      if (node !== undefined) report.node = node;
      if (!isSettled) report.protected = true;
      this.allocations.set(report);
    }
  }
}

/** For an operation that is not listed. */
const earliestOf = (jobs: OperationView['jobs']): string =>
  jobs.reduce(
    (first, { startedAt }) => (startedAt < first ? startedAt : first),
    jobs[0]?.startedAt ?? longAgo,
  );
const longAgo = new Date(0).toISOString();
