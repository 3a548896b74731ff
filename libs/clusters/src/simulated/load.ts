import type { DataSource, EntityManager } from 'typeorm';
import { InputError } from '#contracts';
import type { LoadedWork } from '#contracts/api';
import { GeneratedWork } from './generate.js';
import { readLoadSpec, readPartition } from './load-spec.js';
import {
  clearWork,
  countApplications,
  dropOldSums,
  insertWorkload,
  lockForWriting,
  refuseWorkInParents,
  renewSimulatedStatistics,
} from './place.js';

const PAGE = 5000;

/**
 * Fills the simulated cluster with generated work (`load-spec.ts` lists the fields): all of it or, after any failure, including one of
 * `onProgress`, nothing. `onProgress` receives the number of inserted allocations after each page.
 *
 * @throws RefusedInput or InputError for an invalid specification; InputError if the queue already has work and `replace` is not set.
 */
export async function loadSimulated(
  dataSource: DataSource,
  name: string,
  input: unknown,
  onProgress: (done: number, of: number) => void = () => undefined,
  now: Date = new Date(),
): Promise<LoadedWork> {
  const partition = readPartition(name);
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
    await renewSimulatedStatistics(manager);
  });
  await dropOldSums(dataSource);
  const { under, queues, applications, allocations, nodes } = spec;
  return { partition, under, queues, applications, allocations, nodes };
}

async function refuseIfLoaded(manager: EntityManager, partition: string, under: string): Promise<void> {
  const count = await countApplications(manager, partition, under);
  if (count === 0) return;
  throw new InputError(
    'under',
    `${under} already has ${count} applications: clear it first, set replace, or load under another queue.`,
  );
}

function* pages(count: number): Generator<[from: number, to: number]> {
  for (let from = 0; from < count; from += PAGE) yield [from, Math.min(from + PAGE, count)];
}

function range<T>(from: number, to: number, make: (index: number) => T): T[] {
  return Array.from({ length: to - from }, (_, offset) => make(from + offset));
}
