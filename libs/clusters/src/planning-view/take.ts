import { type ClusterSnapshot, chainFromRoot, InputError, type Limit } from '@curtail/contracts';
import type { DataSource } from 'typeorm';
import type { ClusterReader } from '../driver.js';
import { composeSnapshot } from './compose.js';
import { QUEUES_WITHIN, type QueueInForce, queuesInForce } from './queues-in-force.js';

export interface PlanningScope {
  partition: string;
  queue: string;
  /** The run that plans; runs with a smaller token fired before it. Absent: a preview, for which every run did. */
  fencingToken?: number;
  /** Nodes are compared over all queues, so everything is needed. */
  nodeAware?: boolean;
  /** Limits to plan with in place of those in force: a preview. All queues of the partition. */
  queues?: QueueInForce[];
  /** The limit that the run fired with; until its first order, `ExecutionRejudged` may replace it. Absent: the limit in force. */
  fired?: Limit;
  /** Queues whose runs are in progress, in place of those that have one now: a preview. */
  enforcing?: readonly string[];
  /** Allocations that are read, at the most. */
  mostAllocations: number;
}

/** What Curtail has under way, and the limits in force of the queue that is planned for. */
interface Standing {
  running: string[];
  planned: string[];
  queues: QueueInForce[];
}

/** $1 to $3 as in QUEUES_WITHIN, null where limits are not wanted, $4 the token of the run or null. */
const STANDING = `
  SELECT ARRAY(SELECT queue FROM schedules
               WHERE partition = $1 AND running_enforcement IS NOT NULL AND ($4::bigint IS NULL OR fencing_token < $4)
              ) AS running,
         ARRAY(SELECT allocation FROM leaving_victims WHERE partition = $1) AS planned,
         (SELECT coalesce(json_agg(q), '[]') FROM (${QUEUES_WITHIN}) AS q) AS queues`;

/**
 * Takes the snapshot that a quota decrease is planned on. It reaches as far up as a guaranteed amount does: the floor of an
 * ancestor is judged by all that the ancestor uses, siblings included (docs/reference/policies/quota-decrease.md §6.1).
 *
 * @throws TooManyAllocations
 * @throws InputError where a queue in it has a share of the cluster and no nodes are known: there is neither its limit nor its floor.
 */
export async function takePlanningSnapshot(
  db: DataSource,
  reader: ClusterReader,
  scope: PlanningScope,
): Promise<ClusterSnapshot> {
  const chain = chainFromRoot(scope.queue);
  // Before the cluster is read: a victim whose outcome is recorded in between is then seen twice, never not at all.
  const [standing] = await db.query<[Standing]>(STANDING, [
    scope.partition,
    ...(scope.queues ? [null, null] : [chain, scope.queue]),
    scope.fencingToken ?? null,
  ]);
  const limits = scope.queues ?? standing.queues;
  const floored = limits
    .filter(
      (queue) =>
        chain.includes(queue.path) &&
        (queue.clusterShare?.guaranteed !== undefined || Object.keys(queue.guaranteed ?? {}).length > 0),
    )
    .map((queue) => queue.path)
    .sort((a, b) => a.length - b.length)[0];
  const top = scope.nodeAware ? undefined : (floored ?? scope.queue);

  const cluster = await reader.snapshot({
    partition: scope.partition,
    ...(top === undefined ? {} : { queue: top }),
    most: scope.mostAllocations,
  });
  const inForce =
    scope.queues ?? (top === scope.queue ? limits : await queuesInForce(db, scope.partition, top));
  const { fired } = scope;
  const queues = fired
    ? inForce.map((queue) => (queue.path === scope.queue ? withLimit(queue, fired) : queue))
    : inForce;
  const shared = queues.find(({ clusterShare }) => clusterShare);
  if (shared && (cluster.nodes ?? []).length === 0) {
    throw new InputError(
      'nodes',
      `none are known, so nobody knows what the share of ${shared.path} comes to`,
    );
  }
  return composeSnapshot(cluster, {
    queues,
    enforcing: new Set(scope.enforcing ?? standing.running),
    preempting: new Set(standing.planned),
  });
}

/** With this limit, whatever is in force. */
function withLimit({ clusterShare, ...queue }: QueueInForce, { max, maxShare }: Limit): QueueInForce {
  const guaranteed = clusterShare?.guaranteed;
  const share = {
    ...(guaranteed === undefined ? {} : { guaranteed }),
    ...(maxShare === undefined ? {} : { max: maxShare }),
  };
  return {
    ...queue,
    max: maxShare === undefined ? max : null,
    ...(Object.keys(share).length > 0 && { clusterShare: share }),
  };
}
