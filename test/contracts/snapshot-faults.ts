import type { ClusterSnapshot } from '#contracts';

/** The contradictions in a snapshot (docs/reference/policies/quota-decrease.md §12); none if it can be planned with. */
export function faultsOf(snapshot: ClusterSnapshot): string[] {
  const paths = snapshot.queues.map((queue) => queue.path);
  const known = new Set(paths);
  const inner = new Set(paths.filter((path) => path.includes('.')).map(parentOf));
  const nodes = new Set(snapshot.nodes?.map((node) => node.id));
  const applications = new Set(snapshot.applications.map((application) => application.id));
  return [
    ...twice('queue', paths),
    ...twice(
      'application',
      snapshot.applications.map(({ id }) => id),
    ),
    ...twice(
      'allocation',
      snapshot.allocations.map(({ id }) => id),
    ),
    ...[...inner].filter((path) => !known.has(path)).map((path) => `parent ${path} is missing`),
    ...snapshot.applications
      .filter((application) => !known.has(application.queue))
      .map((application) => `${application.id} is in the unknown queue ${application.queue}`),
    ...snapshot.allocations.flatMap((allocation) => [
      ...(known.has(allocation.queue) ? [] : [`${allocation.id}: unknown queue`]),
      ...(inner.has(allocation.queue) ? [`${allocation.id}: queue with children`] : []),
      ...(applications.has(allocation.application) ? [] : [`${allocation.id}: unknown application`]),
      ...(allocation.node === undefined || nodes.has(allocation.node)
        ? []
        : [`${allocation.id}: unknown node`]),
      ...(isInstant(allocation.startedAt) ? [] : [`${allocation.id}: startedAt`]),
      ...Object.entries(allocation.resources)
        .filter(([, amount]) => !Number.isSafeInteger(amount) || amount < 0)
        .map(([type]) => `${allocation.id}: amount of ${type}`),
    ]),
    ...(isInstant(snapshot.takenAt) ? [] : ['takenAt']),
  ];
}

function parentOf(path: string): string {
  return path.slice(0, path.lastIndexOf('.'));
}

function twice(what: string, ids: string[]): string[] {
  const seen = new Set<string>();
  return ids.filter((id) => seen.size === seen.add(id).size).map((id) => `${what} ${id} is there twice`);
}

function isInstant(text: string): boolean {
  return (
    /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/.test(text) && !Number.isNaN(Date.parse(text))
  );
}
