import type { DataSource } from 'typeorm';
import {
  type ClusterSnapshot,
  chainFromRoot,
  type Limit,
  type QueueSettings,
  readQueueSetting,
  settingsOfQueue,
} from '#contracts';
import type { AheadOfPlan, ClusterReader, SnapshotScope } from '../driver.js';
import {
  composeSnapshot,
  NodesUnknown,
  PLANNED_VICTIMS,
  type PlannedVictim,
  type ProposedQueues,
} from './compose.js';
import { QUEUES_WITHIN, type QueueInForce, queuesInForce } from './queues-in-force.js';
import { withRecentVictims } from './recent-victims.js';
import { SETTING_OVERRIDES, type SettingOverrides, withOverrides } from './setting-overrides.js';

export interface PlanningScope {
  partition: string;
  queue: string;
  /** The run that plans; runs with a smaller token fired before it. Absent: a preview, for which every run did. */
  fencingToken?: number;
  /** Reads the whole partition, since a node-aware plan compares nodes over all queues. */
  nodeAware?: boolean;
  /** For a preview: all queues of the partition, with limits that replace those in force. */
  queues?: ProposedQueues;
  /** The limit that the run fired with; until its first order, `EnforcementRejudged` may replace it. Absent: the limit in force. */
  fired?: Limit;
  /** For a preview: the queues with runs in progress, instead of those that have one now. */
  enforcing?: readonly string[];
  /** The maximum number of allocations to read. */
  mostAllocations: number;
  /** Those of the installation. With any, of this or of queues, the snapshot has the recent victims that the plan counts. */
  ownerBudgets?: QueueSettings['ownerBudgets'];
}

/** Curtail's own runs and planned victims, and the limits in force for the planned queue. */
interface PlanningState {
  running: string[];
  planned: PlannedVictim[];
  queues: QueueInForce[];
  overrides: SettingOverrides;
}

/** $1 to $3 as in QUEUES_WITHIN, null where limits are not needed, $4 the token of the run or null. */
const PLANNING_STATE = `
  SELECT ARRAY(SELECT queue FROM clocks
               WHERE partition = $1 AND running_enforcement IS NOT NULL AND ($4::bigint IS NULL OR fencing_token < $4)
              ) AS running,
         ${PLANNED_VICTIMS} AS planned,
         (SELECT coalesce(json_agg(q), '[]') FROM (${QUEUES_WITHIN}) AS q) AS queues,
         (${SETTING_OVERRIDES}) AS overrides`;

/**
 * Takes the snapshot that a quota decrease is planned on. It reaches up to the topmost guaranteed amount: the floor of an ancestor
 * depends on everything that the ancestor uses, siblings included (docs/reference/policies/quota-decrease.md §6.1).
 *
 * @throws TooManyAllocations
 * @throws InputError if a queue in it has a share of the cluster and no nodes are known: its limit and floor are then undefined.
 */
export async function takePlanningSnapshot(
  db: DataSource,
  reader: ClusterReader,
  scope: PlanningScope,
): Promise<ClusterSnapshot> {
  return (await takeWith(db, (ofCluster) => reader.snapshot(ofCluster), scope))!;
}

/**
 * Reads what the plan of a clock that is due soon will need, if that is much (`ClusterReader.readAhead`).
 *
 * @param ahead as of `ClusterReader.readAhead`.
 * @returns the snapshot that would be planned now; undefined where that is little.
 * @throws as `takePlanningSnapshot`.
 */
export async function readAheadOfPlan(
  db: DataSource,
  reader: ClusterReader,
  scope: PlanningScope,
  ahead: AheadOfPlan,
): Promise<ClusterSnapshot | undefined> {
  return reader.readAhead && takeWith(db, (ofCluster) => reader.readAhead!(ofCluster, ahead), scope);
}

/** @returns undefined where `read` gives nothing. */
async function takeWith(
  db: DataSource,
  read: (scope: SnapshotScope) => Promise<ClusterSnapshot | undefined>,
  scope: PlanningScope,
): Promise<ClusterSnapshot | undefined> {
  const { state, limits, top } = await readState(db, scope);
  const cluster = await read({
    partition: scope.partition,
    ...(top === undefined ? {} : { queue: top }),
    most: scope.mostAllocations,
  });
  if (!cluster) return undefined;
  const inForce =
    scope.queues?.within(top) ??
    (top === scope.queue ? limits : await queuesInForce(db, scope.partition, top));
  const { fired } = scope;
  const queues = fired
    ? inForce.map((queue) => (queue.path === scope.queue ? withLimit(queue, fired) : queue))
    : inForce;
  const shared = queues.find(({ clusterShare }) => clusterShare);
  if (shared && (cluster.nodes ?? []).length === 0) {
    throw new NodesUnknown(shared.path);
  }
  const withSettings = withOverrides(queues, state.overrides);
  const snapshot = composeSnapshot(cluster, {
    queues: withSettings,
    enforcing: new Set(scope.enforcing ?? state.running),
    preempting: state.planned,
  });
  const { ownerBudgets } = settingsOfQueue(
    ['ownerBudgets'],
    { ownerBudgets: scope.ownerBudgets },
    withSettings,
    scope.queue,
  );
  const counted = readQueueSetting('ownerBudgets', ownerBudgets, 'settings.ownerBudgets');
  return withRecentVictims(db, snapshot, counted);
}

/** The state and the limits of a plan, and the queue whose whole work it has to see; undefined for the partition. */
async function readState(
  db: DataSource,
  scope: PlanningScope,
): Promise<{ state: PlanningState; limits: readonly QueueInForce[]; top: string | undefined }> {
  const chain = chainFromRoot(scope.queue);
  // Read before the cluster: a victim whose outcome is recorded in between is then seen twice, and never missed.
  const [state] = await db.query<[PlanningState]>(PLANNING_STATE, [
    scope.partition,
    ...(scope.queues ? [null, null] : [chain, scope.queue]),
    scope.fencingToken ?? null,
  ]);
  const limits = scope.queues?.chain(scope.queue) ?? state.queues;
  const floored = limits
    .filter(
      (queue) =>
        chain.includes(queue.path) &&
        (queue.clusterShare?.guaranteed !== undefined || Object.keys(queue.guaranteed ?? {}).length > 0),
    )
    .map((queue) => queue.path)
    .sort((a, b) => a.length - b.length)[0];
  const top = scope.nodeAware ? undefined : (floored ?? scope.queue);

  return { state, limits, top };
}

/** Replaces the limit in force. */
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
