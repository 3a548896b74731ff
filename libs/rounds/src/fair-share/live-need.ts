import type { DataSource } from 'typeorm';
import { type ClusterReader, type QueueUsage, queuesInForce } from '#clusters';
import { chain, type Resources, resolveShares } from '#contracts';
import { type LiveNeed, type LivePlace, overBy, type PlannedVictim } from '#enforcement';
import { starvingAbove } from './fair-share-tables.js';

const nothing: QueueUsage = { usage: {}, inFlight: {} };

interface Sources {
  db: DataSource;
  cluster: ClusterReader;
}

/**
 * The need that a victim serves, right before it is asked to finish or killed: starvation as of the last round, the rest
 * as the cluster reports it now (docs/reference/policies/fair-share.md §12).
 *
 * @returns undefined for a victim whose plan names no cause.
 */
export async function liveNeed(
  sources: Sources,
  victim: PlannedVictim,
  partition: string,
): Promise<LiveNeed | undefined> {
  const { cluster, db } = sources;
  const { cause, preemptedFor = '' } = victim;
  if (cause === undefined) return undefined;
  if (cause === 'overcommit') return { over: await overNode(cluster, victim, partition) };
  if (cause === 'resource-limits') return { over: await overLimits(sources, victim, partition) };
  const found = await cluster.application(partition, preemptedFor);
  if (!found) return { operation: undefined, starving: [] };
  const { application } = found;
  const starving = await starvingAbove(db, partition, { operation: preemptedFor, queue: application.queue });
  return { operation: application, starving, ...(await placeOf(cluster, victim, partition)) };
}

async function placeOf(
  cluster: ClusterReader,
  { node: id }: PlannedVictim,
  partition: string,
): Promise<{ node?: LivePlace | null }> {
  if (id === undefined) return {};
  const found = await cluster.node(partition, id);
  if (!found) return { node: null };
  const { node, usage, inFlight } = found;
  const { capacity = {}, labels = {}, schedulable = true } = node;
  return { node: { capacity, labels, schedulable, usage, inFlight } };
}

async function overNode(cluster: ClusterReader, { node: id = '' }: PlannedVictim, partition: string) {
  const found = await cluster.node(partition, id);
  return found ? [overBy(found, found.node.capacity ?? {})] : [];
}

async function overLimits(
  { db, cluster }: Sources,
  { application: id, queue }: PlannedVictim,
  partition: string,
): Promise<Resources[]> {
  const path = chain(queue);
  const [found, usage, size, limits] = await Promise.all([
    cluster.application(partition, id),
    cluster.usage(partition, path),
    cluster.capacity(partition),
    queuesInForce(db, partition, queue),
  ]);
  const over = limits
    .filter((pool) => path.includes(pool.path))
    .map((pool) => {
      const { max } = resolveShares(pool, size);
      return overBy(usage.get(pool.path) ?? nothing, max ?? {}, toleranceOf(pool.properties));
    });
  const properties = found?.application.properties;
  return found
    ? [...over, overBy(found, amountsIn(properties?.resourceLimits), toleranceOf(properties))]
    : over;
}

const toleranceOf = (properties: Readonly<Record<string, unknown>> | null | undefined) =>
  amountsIn(properties?.resourceLimitsOvercommitTolerance);

/** A property may hold any value; a value that is not an amount limits nothing. */
function amountsIn(property: unknown): Resources {
  if (typeof property !== 'object' || property === null) return {};
  return Object.fromEntries(
    Object.entries(property).filter((entry): entry is [string, number] => typeof entry[1] === 'number'),
  );
}
