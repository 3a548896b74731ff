import type { DataSource } from 'typeorm';
import type { WorkCounts } from '#contracts/api';
import { isThere } from './is-there.js';

export async function countWork(
  dataSource: DataSource,
  partition: string,
  now: Date | null = null,
): Promise<WorkCounts> {
  const [counts] = await dataSource.query<WorkCounts[]>(
    `SELECT
       (SELECT count(*)::int FROM simulated_nodes WHERE partition = $1) AS nodes,
       applications.queues, applications.applications, allocations.allocations, allocations.leaving
     FROM (
       SELECT count(DISTINCT queue)::int AS queues, count(*)::int AS applications
       FROM simulated_applications WHERE partition = $1
     ) applications, (
       SELECT count(*)::int AS allocations, (count(*) FILTER (WHERE state <> 'running'))::int AS leaving
       FROM simulated_allocations WHERE partition = $1 AND ${isThere('$2')}
     ) allocations`,
    [partition, now],
  );
  return counts ?? { nodes: 0, queues: 0, applications: 0, allocations: 0, leaving: 0 };
}
