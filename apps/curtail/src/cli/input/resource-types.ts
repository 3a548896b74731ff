import { InputError } from '#contracts';

/** Every resource type of an allocation, pending request or node in a snapshot (or in a plan's input). */
export function resourceTypesOf(input: unknown): ReadonlySet<string> {
  const whole = fieldsOf(input);
  const snapshot = whole?.snapshot === undefined ? whole : fieldsOf(whole.snapshot);
  if (!Array.isArray(snapshot?.allocations)) {
    throw new InputError('allocations', 'a snapshot has a list of allocations; give a ClusterSnapshot');
  }
  const applications = listOf(snapshot.applications);
  const amounts = [
    ...listOf(snapshot.allocations).map(({ resources }) => resources),
    ...listOf(snapshot.nodes).map(({ capacity }) => capacity),
    ...applications.flatMap(({ pending }) => listOf(pending).map(({ resources }) => resources)),
  ];
  const types = new Set<string>();
  for (const amount of amounts) for (const type of Object.keys(fieldsOf(amount) ?? {})) types.add(type);
  return types;
}

function fieldsOf(value: unknown): Record<string, unknown> | undefined {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
}

function listOf(value: unknown): Record<string, unknown>[] {
  return Array.isArray(value) ? value.map((item) => fieldsOf(item) ?? {}) : [];
}
