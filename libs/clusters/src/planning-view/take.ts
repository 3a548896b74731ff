import type { DataSource } from 'typeorm';
import {
  type ClusterSnapshot,
  chainFromRoot,
  InputError,
  type Limit,
  type OwnerBudget,
  type QueueSettings,
  type RecentVictim,
  readQueueSetting,
  settingsOfQueue,
} from '#contracts';
import type { AheadOfPlan, ClusterReader, SnapshotScope } from '../driver.js';
import {
  composeSnapshot,
  NodesUnknown,
  PLANNED_VICTIMS,
  type ProposedQueues,
  type VictimKey,
  withFurtherVictims,
  withOverrides,
} from './compose.js';
import {
  QUEUES_WITHIN,
  type QueueInForce,
  queuesInForce,
  SETTING_OVERRIDES,
  type SettingOverrides,
} from './in-force.js';

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
  planned: VictimKey[];
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

/**
 * For each of these queues a text that stays the same as long as its planning snapshot would, under the same configuration, settings and
 * stops. Queues are missing whose snapshot also changes with the time, as while a run of the partition is under way.
 */
export async function planningVersions(
  db: DataSource,
  reader: ClusterReader,
  { partition, queues, nodeAware }: { partition: string; queues: readonly string[]; nodeAware: boolean },
): Promise<Map<string, string>> {
  if (!reader.versions || queues.length === 0) return new Map();
  const [state] = await db.query<[{ isBusy: boolean; floored: string[] }]>(
    `SELECT EXISTS (SELECT FROM clocks WHERE partition = $1 AND running_enforcement IS NOT NULL)
            OR EXISTS (SELECT FROM planned_victims WHERE partition = $1) AS "isBusy",
            ARRAY(SELECT path FROM queues WHERE partition = $1 AND path = ANY ($2)
                  AND (coalesce(guaranteed::jsonb, '{}') <> '{}' OR cluster_share::jsonb -> 'guaranteed' IS NOT NULL)) AS floored`,
    [partition, [...new Set(queues.flatMap(chainFromRoot))]],
  );
  if (state.isBusy) return new Map();
  const floored = new Set(state.floored);
  const tops = queues.map((queue) => (nodeAware ? 'root' : topOf(queue, floored)));
  const versions = await reader.versions(partition, [...new Set(tops)]);
  const found = queues.map((queue, index) => [queue, versions.get(tops[index]!)] as const);
  return new Map(found.filter((one): one is [string, string] => one[1] !== undefined));
}

/** The queue whose whole work the plan of a queue has to see: the topmost one with a guaranteed amount, or itself. */
const topOf = (queue: string, floored: ReadonlySet<string>): string =>
  chainFromRoot(queue).find((path) => floored.has(path)) ?? queue;

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
        queue.clusterShare?.guaranteed !== undefined || Object.keys(queue.guaranteed ?? {}).length > 0,
    )
    .map((queue) => queue.path);
  const top = scope.nodeAware ? undefined : topOf(scope.queue, new Set(floored));
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

/** More than this many victims in the windows of the owner budgets are treated as a mistake. */
const mostRecentVictims = 200_000;

/**
 * The snapshot with the victims that owner budgets count: those evicted within the longest window, and those of open runs,
 * which may be evicted at any moment (docs/reference/policies/victim-care.md §6). Without owner budgets the same snapshot.
 *
 * @throws InputError if there are too many.
 */
export async function withRecentVictims(
  db: DataSource,
  snapshot: ClusterSnapshot,
  ownerBudgets: readonly OwnerBudget[],
): Promise<ClusterSnapshot> {
  if (ownerBudgets.length === 0) return snapshot;
  const { partition, takenAt } = snapshot;
  const seconds = Math.max(...ownerBudgets.map(({ seconds }) => seconds));
  const rows: { user: string | null; application: string; queue: string; at: Date }[] = await db.query(
    RECENT_VICTIMS,
    [partition, takenAt, seconds, mostRecentVictims + 1],
  );
  if (rows.length > mostRecentVictims) {
    throw new InputError(
      'settings.ownerBudgets',
      `more than ${mostRecentVictims} victims within ${seconds} s are too many to count; write shorter windows`,
    );
  }
  const victims = rows.map(({ user, application, queue, at }): RecentVictim => {
    return { ...(user === null ? {} : { user }), application, queue, at: at.toISOString() };
  });
  return withFurtherVictims(snapshot, victims);
}

/**
 * $1 partition, $2 time of the snapshot, $3 seconds, $4 the maximum number. One statement, so that a run that ends meanwhile is counted
 * once. Planned victims have the time of the snapshot: a budget of 0 seconds counts those of its own plan alone.
 */
const RECENT_VICTIMS = `
  SELECT * FROM (
    SELECT owner AS "user", application, queue, date_trunc('milliseconds', evicted_at) AS at, enforcement, allocation
    FROM recent_victims
    WHERE partition = $1 AND evicted_at > $2::timestamptz - make_interval(secs => $3)
    UNION ALL
    SELECT owner, application, queue, $2::timestamptz, enforcement, allocation
    FROM planned_victims
    WHERE partition = $1 AND application IS NOT NULL
  ) AS victims
  ORDER BY at, enforcement, allocation
  LIMIT $4`;

interface PartitionState {
  running: string[];
  planned: VictimKey[];
  overrides: SettingOverrides;
}

export interface RoundScope {
  partition: string;
  /** For a preview: the queues to plan with instead of those in force. */
  queues?: QueueInForce[] | undefined;
  /** The maximum number of allocations to read. */
  mostAllocations: number;
}

/**
 * Takes the snapshot of a whole partition that a round is planned on. Policies add what they have recorded themselves.
 *
 * @throws TooManyAllocations
 */
export async function takeRoundSnapshot(
  db: DataSource,
  reader: ClusterReader,
  { partition, queues, mostAllocations }: RoundScope,
): Promise<ClusterSnapshot> {
  // Read before the cluster: a victim whose outcome is recorded in between is then seen twice, and never missed.
  const [state] = await db.query<PartitionState[]>(
    `SELECT ARRAY(SELECT queue FROM clocks WHERE partition = $1 AND running_enforcement IS NOT NULL) AS running,
            ${PLANNED_VICTIMS} AS planned,
            (${SETTING_OVERRIDES}) AS overrides`,
    [partition],
  );
  const cluster = await reader.snapshot({ partition, most: mostAllocations });
  return composeSnapshot(cluster, {
    queues: withOverrides(queues ?? (await queuesInForce(db, partition)), state?.overrides ?? {}),
    enforcing: new Set(state?.running),
    preempting: state?.planned ?? [],
  });
}
