import type { BudgetReport } from '../inventory-changes.js';
import type { LabelSelector, PodDisruptionBudget } from './objects.js';
import type { PodWork } from './pod-work.js';

/** The API server refuses to evict a pod of several budgets; more than this are not reported for one. */
const mostOfPod = 16;

/**
 * The PodDisruptionBudgets of a cluster, and the pods whose eviction each is charged with, by the rules of the API server's eviction
 * subresource. The id of a budget is `namespace/name`.
 */
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

  /** The namespaces where these budgets may be charged with other pods than `before` were. */
  membersChanged(before: PodBudgets): Set<string> {
    const namespaces = new Set([...this.byNamespace.keys(), ...before.byNamespace.keys()]);
    for (const namespace of [...namespaces]) {
      if (before.termsIn(namespace) === this.termsIn(namespace)) namespaces.delete(namespace);
    }
    return namespaces;
  }

  private termsIn(namespace: string): string {
    const budgets = this.byNamespace.get(namespace) ?? [];
    const terms = budgets.map((budget) => [
      idOf(budget),
      budget.spec?.selector ?? null,
      letsUnreadyGo(budget),
    ]);
    return JSON.stringify(terms.sort());
  }

  /** What each allows now; nothing before its controller has seen it as it is. */
  *reports(): Generator<BudgetReport> {
    for (const budgets of this.byNamespace.values()) {
      for (const budget of budgets) {
        const { disruptionsAllowed = 0, observedGeneration = 0 } = budget.status ?? {};
        const isCurrent = observedGeneration >= (budget.metadata.generation ?? 0);
        yield { id: idOf(budget), allowed: isCurrent ? Math.max(0, disruptionsAllowed) : 0 };
      }
    }
  }

  /** The ids of the budgets that the eviction of a pod is charged to, or that refuse it: it may be in several. */
  of({ namespace, labels, condition }: Pick<PodWork, 'namespace' | 'labels' | 'condition'>): string[] {
    const budgets = this.byNamespace.get(namespace);
    if (!budgets || condition === 'starting') return [];
    const selecting = budgets.filter(({ spec }) => spec?.selector && selects(spec.selector, labels));
    const [only, ...others] = selecting;
    if (only && others.length === 0 && condition === 'unready' && letsUnreadyGo(only)) return [];
    return selecting.map(idOf).sort().slice(0, mostOfPod);
  }
}

/**
 * Whether a running pod that is not ready goes without a charge: it is not among the healthy ones, so its eviction disrupts nothing. With the
 * policy IfHealthyBudget only while enough others are healthy. KEP-3017.
 */
function letsUnreadyGo({ spec, status }: PodDisruptionBudget): boolean {
  if (spec?.unhealthyPodEvictionPolicy === 'AlwaysAllow') return true;
  const { currentHealthy = 0, desiredHealthy = 0 } = status ?? {};
  return desiredHealthy > 0 && currentHealthy >= desiredHealthy;
}

const idOf = ({ metadata }: PodDisruptionBudget) => `${metadata.namespace ?? ''}/${metadata.name}`;

/** Whether a selector of the API selects an object with these labels. An operator that is not known selects nothing. */
function selects(
  { matchLabels = {}, matchExpressions = [] }: LabelSelector,
  labels: Readonly<Record<string, string>>,
): boolean {
  return (
    Object.entries(matchLabels).every(([key, value]) => labels[key] === value) &&
    matchExpressions.every(({ key, operator, values = [] }) => {
      const value = labels[key];
      switch (operator) {
        case 'In':
          return value !== undefined && values.includes(value);
        case 'NotIn':
          return value === undefined || !values.includes(value);
        case 'Exists':
          return value !== undefined;
        case 'DoesNotExist':
          return value === undefined;
        default:
          return false;
      }
    })
  );
}
