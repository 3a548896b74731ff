import type { ReportSource } from '#agents';

const nothing = {
  ...{ applications: [], applicationsGone: [], allocations: [], allocationsGone: [] },
  ...{ budgets: [], budgetsGone: [] },
};

/** A cluster of which only its nodes are known, and nothing else is in it. */
export class NodesOnly implements ReportSource {
  readonly isSynced = true;
  private readonly nodes = new Set<string>();
  private added: string[] = [];
  private gone: string[] = [];
  private onChange = () => {};

  async start(onChange: () => void): Promise<void> {
    this.onChange = onChange;
  }
  async stop(): Promise<void> {}

  add(id: string): void {
    this.nodes.add(id);
    this.added.push(id);
    this.onChange();
  }
  remove(id: string): void {
    this.nodes.delete(id);
    this.gone.push(id);
    this.onChange();
  }

  changes() {
    return { ...nothing, nodes: this.added.splice(0).map((id) => ({ id })), nodesGone: this.gone.splice(0) };
  }
  listing() {
    this.changes();
    return { nodes: [...this.nodes].map((id) => ({ id })), applications: [], allocations: [], budgets: [] };
  }
  async isCurrent(): Promise<boolean> {
    return true;
  }
}
