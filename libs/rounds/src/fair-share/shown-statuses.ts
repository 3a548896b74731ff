import type { FairShareStatus, ShownElement } from '#contracts';

/** The maximum number of operations kept for display; if there are more, those below their fair share come first. */
const mostOperations = 1000;

/** Pools by path, then operations by id, as the plan has them. */
export function shownStatuses(
  statuses: readonly FairShareStatus[],
  queueOf: ReadonlyMap<string, string>,
): ShownElement[] {
  const shown = statuses.map(
    (status): ShownElement => ({
      kind: status.kind,
      name: status.name,
      queue: status.kind === 'pool' ? status.name : (queueOf.get(status.name) ?? 'root'),
      fairShare: dominant(status.fairShare),
      usageShare: dominant(status.usageShare),
      demandShare: dominant(status.demandShare),
      satisfaction: status.satisfaction,
      status: status.status,
      starvation: status.starvation,
      belowFairShareSince: status.belowFairShareSince,
      starvingSince: status.starvingSince,
      effective: status.effective,
    }),
  );
  const operations = shown.filter(({ kind }) => kind === 'operation');
  if (operations.length <= mostOperations) return shown;
  const kept = new Set(
    [...operations]
      .sort((a, b) => Number(a.status === 'normal') - Number(b.status === 'normal'))
      .slice(0, mostOperations),
  );
  return shown.filter((status) => status.kind === 'pool' || kept.has(status));
}

const dominant = (shares: FairShareStatus['fairShare']) => Math.max(0, ...Object.values(shares));
