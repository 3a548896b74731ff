import type { DataSource, EntityManager } from 'typeorm';
import { InputError } from '#contracts';
import type { LoadedWork } from '#contracts/api';
import { inSubtree } from '../tables/subtree.js';
import { GeneratedWork } from './generate.js';
import { readLoadSpec, readPartition } from './load-spec.js';
import { clearWork, insertWorkload, lockForWriting, refuseWorkInParents } from './place.js';

const PAGE = 5000;

/**
 * Fills the simulated cluster with generated work (`load-spec.ts` lists the fields): all of it or, after any failure, including one of
 * `onProgress`, nothing. `onProgress` receives the number of inserted allocations after each page.
 *
 * @throws RefusedInput or InputError for an invalid specification; InputError if the queue already has work and `replace` is not set.
 */
export async function loadSimulated(
  dataSource: DataSource,
  partition: string,
  input: unknown,
  onProgress: (done: number, of: number) => void = () => undefined,
  now: Date = new Date(),
): Promise<LoadedWork> {
  readPartition(partition);
  const spec = readLoadSpec(input);
  const work = new GeneratedWork(spec, now);
  await dataSource.transaction(async (manager) => {
    await lockForWriting(manager, partition);
    if (spec.replace) await clearWork(manager, partition, spec.under);
    else await refuseIfLoaded(manager, partition, spec.under);

    for (const [from, to] of pages(spec.nodes)) {
      await insertWorkload(manager, partition, { nodes: range(from, to, (index) => work.node(index)) });
    }
    for (const [from, to] of pages(spec.applications)) {
      await insertWorkload(manager, partition, {
        applications: range(from, to, (index) => work.application(index)),
      });
    }
    await refuseWorkInParents(manager, partition);
    onProgress(0, spec.allocations);
    for (const [from, to] of pages(spec.allocations)) {
      await insertWorkload(manager, partition, {
        allocations: range(from, to, (index) => work.allocation(index)),
      });
      onProgress(to, spec.allocations);
    }
    // The tables have changed at once: with the old statistics, reading the usage of a small queue would scan all of them.
    await manager.query('ANALYZE simulated_applications, simulated_allocations');
  });
  // Each page has written the sums of the same queues again. Until their old versions are gone, each read of a large queue takes several
  // times as long, and a run reads its queue before each page of evictions. It only saves time: the work is loaded without it.
  await dataSource.query('VACUUM simulated_usage').catch(() => {});
  const { under, queues, applications, allocations, nodes } = spec;
  return { partition, under, queues, applications, allocations, nodes };
}

async function refuseIfLoaded(manager: EntityManager, partition: string, under: string): Promise<void> {
  const [row] = await manager.query<{ count: number }[]>(
    `SELECT count(*)::int AS count FROM simulated_applications WHERE partition = $1 AND ${inSubtree('queue', '$2::text')}`,
    [partition, under],
  );
  if (row === undefined || row.count === 0) return;
  throw new InputError(
    'under',
    `${under} already has ${row.count} applications: clear it first, set replace, or load under another queue.`,
  );
}

function* pages(count: number): Generator<[from: number, to: number]> {
  for (let from = 0; from < count; from += PAGE) yield [from, Math.min(from + PAGE, count)];
}

function range<T>(from: number, to: number, make: (index: number) => T): T[] {
  return Array.from({ length: to - from }, (_, offset) => make(from + offset));
}
