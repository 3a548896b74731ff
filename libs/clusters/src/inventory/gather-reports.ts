import { clusterOf, type EventData } from '#contracts';
import type { KnownEvent } from '#event-store';
import type { ReportHeader } from './track-sender.js';

type Page = EventData<'InventoryListed'>;

/** The newest report of one thing; with `gone` it has only the ids. */
export type Reported<T> = { sequence: number; gone: boolean } & Partial<T>;
export type ReportedNode = Reported<Omit<NonNullable<Page['nodes']>[number], 'id'>> & { id: string };
export type ReportedApplication = Reported<Omit<NonNullable<Page['applications']>[number], 'id'>> & {
  id: string;
};
export type ReportedAllocation = Reported<Omit<NonNullable<Page['allocations']>[number], 'id' | 'uid'>> & {
  id: string;
  uid: string;
};
/** `saidAt`: when it was reported, RFC 3339, by the clock of the sender. */
export type ReportedBudget = Reported<{ allowed: number }> & { id: string; saidAt: string };
export type ReportedPage = Pick<Page, 'sequence' | 'page' | 'last'> & { at: Date };

/** The content of a batch of reports of one cluster about one partition, each thing once. */
export interface PartitionReports {
  partition: string;
  /** Undefined if the sender does not name its cluster. */
  cluster: string | undefined;
  /** One for each report. */
  headers: ReportHeader[];
  nodes: ReportedNode[];
  applications: ReportedApplication[];
  allocations: ReportedAllocation[];
  budgets: ReportedBudget[];
  pages: ReportedPage[];
}

const names = [
  'AllocationStarted',
  'AllocationReleased',
  'ApplicationSubmitted',
  'ApplicationEnded',
  'NodeAdded',
  'NodeRemoved',
  'BudgetSet',
  'BudgetRemoved',
  'InventoryListed',
  'InventoryConfirmed',
] as const;
export type InventoryReport = KnownEvent<(typeof names)[number]>;

export function isInventoryReport(event: KnownEvent): event is InventoryReport {
  return (names as readonly string[]).includes(event.name);
}

/**
 * Groups a batch by partition and cluster, and keeps the report with the greatest sequence of each thing, so the order of the batch
 * does not matter. Names of partitions and queues are in lower case from here on, as in configurations.
 */
export function gatherReports(reports: InventoryReport[]): PartitionReports[] {
  const gatherers = new Map<string, Gatherer>();
  // By the names as they are written: most reports of a batch have the same.
  const known = new Map<string, Gatherer>();
  for (const report of reports) {
    const { source, data } = report;
    const written = `${data.partition}\n${source}`;
    let gatherer = known.get(written);
    if (gatherer === undefined) {
      const partition = data.partition.toLowerCase();
      const cluster = clusterOf(source);
      const key = JSON.stringify([partition, cluster]);
      gatherer = gatherers.get(key) ?? new Gatherer(partition, cluster);
      gatherers.set(key, gatherer);
      known.set(written, gatherer);
    }
    gatherer.add(report);
  }
  return [...gatherers.values()].map((gatherer) => gatherer.all());
}

class Gatherer {
  private readonly headers: ReportHeader[] = [];
  private readonly nodes = new Map<string, ReportedNode>();
  private readonly applications = new Map<string, ReportedApplication>();
  private readonly allocations = new Map<string, ReportedAllocation>();
  private readonly budgets = new Map<string, ReportedBudget>();
  private readonly pages: ReportedPage[] = [];

  constructor(
    private readonly partition: string,
    private readonly cluster: string | undefined,
  ) {}

  add(report: InventoryReport): void {
    const sequence = report.name === 'InventoryConfirmed' ? report.data.lastSequence : report.data.sequence;
    this.headers.push({
      kind: kindOf(report),
      at: report.time,
      source: report.source,
      sequence,
    });
    switch (report.name) {
      case 'AllocationStarted': {
        this.keepAllocation({ ...report.data, queue: report.data.queue.toLowerCase(), gone: false });
        break;
      }
      case 'AllocationReleased': {
        const { id, uid, sequence } = report.data;
        this.keepAllocation({ id, uid, sequence, gone: true });
        break;
      }
      case 'ApplicationSubmitted': {
        const { partition: _, ...application } = report.data;
        keep(this.applications, application.id, {
          ...application,
          queue: application.queue.toLowerCase(),
          gone: false,
        });
        break;
      }
      case 'ApplicationEnded': {
        const { id, sequence } = report.data;
        keep(this.applications, id, { id, sequence, gone: true });
        break;
      }
      case 'NodeAdded': {
        const { partition: _, ...node } = report.data;
        keep(this.nodes, node.id, { ...node, gone: false });
        break;
      }
      case 'NodeRemoved': {
        const { id, sequence } = report.data;
        keep(this.nodes, id, { id, sequence, gone: true });
        break;
      }
      case 'BudgetSet': {
        const { partition: _, ...budget } = report.data;
        keep(this.budgets, budget.id, { ...budget, saidAt: report.time.toISOString(), gone: false });
        break;
      }
      case 'BudgetRemoved': {
        const { id, sequence } = report.data;
        keep(this.budgets, id, { id, sequence, saidAt: report.time.toISOString(), gone: true });
        break;
      }
      case 'InventoryListed':
        this.addPage(report.data, report.time);
        break;
      case 'InventoryConfirmed':
        break;
    }
  }

  all(): PartitionReports {
    return {
      partition: this.partition,
      cluster: this.cluster,
      headers: this.headers,
      nodes: [...this.nodes.values()],
      applications: [...this.applications.values()],
      allocations: [...this.allocations.values()],
      budgets: [...this.budgets.values()],
      pages: this.pages,
    };
  }

  private addPage({ sequence, page, last, nodes, applications, allocations, budgets }: Page, at: Date): void {
    const listed = { sequence, gone: false };
    for (const node of nodes ?? []) keep(this.nodes, node.id, { ...node, ...listed });
    for (const application of applications ?? []) {
      const queue = application.queue.toLowerCase();
      keep(this.applications, application.id, { ...application, queue, ...listed });
    }
    for (const allocation of allocations ?? []) {
      this.keepAllocation({ ...allocation, queue: allocation.queue.toLowerCase(), ...listed });
    }
    for (const budget of budgets ?? []) {
      keep(this.budgets, budget.id, { ...budget, saidAt: at.toISOString(), ...listed });
    }
    this.pages.push({ sequence, page, last, at });
  }

  private keepAllocation(allocation: ReportedAllocation): void {
    const { id, uid } = allocation;
    keep(this.allocations, `${id.length} ${id}${uid}`, allocation);
  }
}

function kindOf({ name }: InventoryReport): ReportHeader['kind'] {
  if (name === 'InventoryListed') return 'page';
  return name === 'InventoryConfirmed' ? 'confirmation' : 'report';
}

function keep<T extends { sequence: number }>(known: Map<string, T>, key: string, reported: T): void {
  const before = known.get(key);
  if (before === undefined || reported.sequence > before.sequence) known.set(key, reported);
}
