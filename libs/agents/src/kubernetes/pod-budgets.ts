import type { BudgetReport } from '../inventory-changes.js';
import type { PodDisruptionBudget } from './objects.js';
import type { PodWork } from './pod-work.js';
import { selects } from './selector.js';

/** The API server refuses to evict a pod of several budgets; more than this are not reported for one. */
const mostOfPod = 16;

/** The PodDisruptionBudgets of a cluster, and the pods in each. The id of a budget is `namespace/name`. */
export class PodBudgets {
  private readonly byNamespace = new Map<string, PodDisruptionBudget[]>();

  constructor(budgets: Iterable<PodDisruptionBudget> = []) {
    for (const budget of budgets) {
      const { namespace = '' } = budget.metadata;
      const known = this.byNamespace.get(namespace) ?? [];
      this.byNamespace.set(namespace, known);
      known.push(budget);
    }
  }

  has(namespace: string): boolean {
    return this.byNamespace.has(namespace);
  }

  /** The namespaces where these budgets may select other pods than `before` did. */
  selectorsChanged(before: PodBudgets): Set<string> {
    const namespaces = new Set([...this.byNamespace.keys(), ...before.byNamespace.keys()]);
    for (const namespace of [...namespaces]) {
      if (before.selectorsIn(namespace) === this.selectorsIn(namespace)) namespaces.delete(namespace);
    }
    return namespaces;
  }

  private selectorsIn(namespace: string): string {
    const budgets = this.byNamespace.get(namespace) ?? [];
    return JSON.stringify(budgets.map((budget) => [idOf(budget), budget.spec?.selector ?? null]).sort());
  }

  /** What each allows now; nothing before its controller has seen it. */
  *reports(): Generator<BudgetReport> {
    for (const budgets of this.byNamespace.values()) {
      for (const budget of budgets) {
        yield { id: idOf(budget), allowed: Math.max(0, budget.status?.disruptionsAllowed ?? 0) };
      }
    }
  }

  /** The ids of the budgets that a pod counts in. */
  of({ namespace, labels }: Pick<PodWork, 'namespace' | 'labels'>): string[] {
    const budgets = this.byNamespace.get(namespace);
    if (!budgets) return [];
    return budgets
      .filter(({ spec }) => spec?.selector && selects(spec.selector, labels))
      .map(idOf)
      .sort()
      .slice(0, mostOfPod);
  }
}

const idOf = ({ metadata }: PodDisruptionBudget) => `${metadata.namespace ?? ''}/${metadata.name}`;
