import type { DataSource, EntityManager } from 'typeorm';
import { chain, type Flapping, flappingOf, propertyOf } from '#contracts';

export interface QueueOfPartition {
  partition: string;
  queue: string;
}

/** Of each queue whether its max can flap: what an operator has set, else the configuration in force. */
export async function flappingInForce(
  db: DataSource | EntityManager,
  queues: readonly QueueOfPartition[],
): Promise<(of: QueueOfPartition) => Flapping> {
  if (queues.length === 0) return () => false;
  const chains = new Map<string, Set<string>>();
  for (const { partition, queue } of queues) {
    const known = chains.get(partition) ?? new Set();
    addChain(known, queue);
    chains.set(partition, known);
  }
  const keys = [...chains].flatMap(([partition, paths]) => [...paths].map((path) => ({ partition, path })));
  const rows = await db.query<{ partition: string; path: string; value: unknown }[]>(
    `SELECT q.partition, q.path, coalesce(o.value::jsonb, q.properties::jsonb -> '${propertyOf('flapping')}') AS value
     FROM unnest($1::text[], $2::text[]) AS k (partition, path)
     JOIN queues q ON q.partition = k.partition AND q.path = k.path
     LEFT JOIN setting_overrides o ON o.partition = q.partition AND o.queue = q.path AND o.setting = 'flapping'
     WHERE o.value IS NOT NULL OR q.properties ->> '${propertyOf('flapping')}' IS NOT NULL`,
    [keys.map(({ partition }) => partition), keys.map(({ path }) => path)],
  );
  if (rows.length === 0) return () => false;
  const set = [...chains.keys()].map((partition): [string, (queue: string) => Flapping] => {
    const own = rows.filter((row) => row.partition === partition);
    const queuesWithIt = own.map(({ path, value }) => ({
      path,
      properties: { [propertyOf('flapping')]: value },
    }));
    return [partition, flappingOf(queuesWithIt)];
  });
  const found = new Map(set);
  return ({ partition, queue }) => found.get(partition)?.(queue) ?? false;
}

/** Adds a queue and those above it that are missing: of a thousand queues, most have their parents in common. */
function addChain(paths: Set<string>, queue: string): void {
  for (const path of chain(queue)) {
    if (paths.has(path)) break;
    paths.add(path);
  }
}
