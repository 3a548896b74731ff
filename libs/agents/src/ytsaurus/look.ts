import { isDeepStrictEqual } from 'node:util';
import type { Resources } from '#contracts';
import {
  isSame,
  type ListedJobs,
  type ListedOperation,
  type OrchidOperation,
  partOfAnswer,
  readAddresses,
  readJobs,
  readNodes,
  readOrchid,
  readSchedulerOperations,
  sumOf,
  type YtJob,
  type YtNode,
  ytsaurusAmounts,
} from './answers.js';
import { type PoolTree, pathIn, readParents, readPoolTree } from './pool-tree.js';
import type { Parameters, YtReads } from './yt-api.js';
import { YtError, ytCodes } from './yt-error.js';

/** What the jobs of an operation hold. */
export interface Held {
  /** Each of them, but for those that `own` names. */
  each: Resources;
  /** By job, where they do not all hold the same. */
  own?: ReadonlyMap<string, Resources>;
  /** Whether that adds up to what the operation uses. */
  fits: boolean;
}

export const heldByJob = ({ each, own }: Held, job: string): Resources => own?.get(job) ?? each;

/** An operation with its jobs. An object stays the same as long as nothing in it has changed. */
export interface OperationView {
  id: string;
  orchid: OrchidOperation;
  /** undefined: it is not listed, or not any more. */
  listed: ListedOperation | undefined;
  /** The path of its queue. */
  queue: string;
  jobs: readonly YtJob[];
  held: Held;
  /** When they were listed, by a monotonic clock. */
  listedAt: number;
  /** Whether its lists and the orchid fit each other: the same jobs, and what they hold adds up. Nothing is planned on one that does not. */
  isSettled: boolean;
}

/** What a cluster showed of one tree at one moment. */
export interface TreeLook {
  tree: PoolTree;
  nodes: YtNode[];
  operations: ReadonlyMap<string, OperationView>;
  /** What the orchid and the lists showed of operations at last. */
  shown: Both;
  /** Whether the next look needs no lists of jobs as long as it shows the same. */
  isSteady: boolean;
  /** When it began, by a monotonic clock, in milliseconds: the state is at least that new. */
  begunAt: number;
}

export interface TreeLookOptions {
  tree: string;
  /** Milliseconds of a monotonic clock. */
  elapsed: () => number;
  /** Jobs of an operation that shows no counters are listed again after this time: one may have replaced another. */
  listAgainMs: number;
}

const scheduler = '//sys/scheduler/orchid/scheduler';
const operationFields = ['pool', 'resource_usage', 'resource_demand', 'is_gang', 'preemption_mode', 'weight'];
/** Without them, each operation comes with its specification in brief, and more. All releases of API v4 know these. */
const listedFields = [
  'id',
  'authenticated_user',
  'start_time',
  'suspended',
  'brief_progress',
  'runtime_parameters',
];
const pageItems = 1000;
/** Lists and the orchid have no common revision: what does not fit is read so many times. */
const mostRounds = 3;

/**
 * Reads one tree. Jobs are listed only of operations that have changed since `before`.
 *
 * @throws YtError or InputError: nothing is known then, and nothing may be concluded.
 */
export async function takeLook(
  api: YtReads,
  before: TreeLook | undefined,
  options: TreeLookOptions,
): Promise<TreeLook> {
  const begunAt = options.elapsed();
  await assertConnected(api);
  const [tree, nodes, first] = await Promise.all([
    readPoolTree(api, options.tree, before?.tree),
    readTreeNodes(api, options.tree),
    readBoth(api, options.tree, before?.shown),
  ]);
  const sameNodes = before !== undefined && isDeepStrictEqual(before.nodes, nodes);
  const { orchid, listed } = before?.shown ?? {};
  if (before?.isSteady && tree === before.tree && first.orchid === orchid && first.listed === listed) {
    return { ...before, begunAt, nodes: sameNodes ? before.nodes : nodes };
  }
  const places = await placesOf(api, options.tree, tree, first.orchid);
  const views = new Map<string, OperationView>();
  const addresses = new Map(nodes.map(({ address }) => [address, address]));
  let shown = first;
  let stale = new Set<string>();
  for (const id of first.orchid.keys()) {
    const known = before?.operations.get(id);
    const view = known && sameOrNothing(known, first, places, begunAt - options.listAgainMs);
    if (view === undefined) stale.add(id);
    else views.set(id, view);
  }
  for (let round = 1; stale.size > 0 && round <= mostRounds; round++) {
    const asked = [...stale].filter((id) => shown.orchid.has(id));
    const lists = await fewAtOnce(asked, async (id) => {
      const listedAt = options.elapsed();
      return { id, listedAt, list: await listJobs(api, id, addresses) };
    });
    const then = shown;
    shown = await readBoth(api, options.tree, then);
    const newPlaces = await placesOf(api, options.tree, tree, shown.orchid);
    const ofNodes: Promise<void>[] = [];
    for (const { id, listedAt, list } of lists) {
      const orchid = shown.orchid.get(id);
      // One that has ended meanwhile holds nothing.
      if (orchid === undefined) continue;
      const { queue, listed } = at(shown, id, newPlaces);
      const isStill = isSameAt(at(then, id, places), at(shown, id, newPlaces));
      const show = (held: Held) => {
        const isSettled = isStill && listed !== undefined && held.fits;
        views.set(id, { id, orchid, listed, listedAt, jobs: list.jobs, held, queue, isSettled });
      };
      const even = evenlyHeld(orchid, list);
      if (even !== undefined) show(even);
      else ofNodes.push(heldByNodes(api, orchid, list, before?.operations.get(id)).then(show));
    }
    await Promise.all(ofNodes);
    stale = new Set();
    for (const id of [...views.keys()]) if (!shown.orchid.has(id)) views.delete(id);
    for (const id of shown.orchid.keys()) {
      const view = views.get(id);
      if (!view?.isSettled || !isSameAt(view, at(shown, id, newPlaces))) stale.add(id);
    }
  }
  for (const id of stale) {
    const view = views.get(id);
    if (view?.isSettled) views.set(id, { ...view, isSettled: false });
  }
  const isUnchanged =
    before !== undefined &&
    before.operations.size === views.size &&
    [...views].every(([id, view]) => before.operations.get(id) === view);
  const isSteady = [...views.values()].every(
    (view) =>
      view.isSettled && view.listed?.progress !== undefined && tree.paths.has(view.orchid.pool.toLowerCase()),
  );
  return {
    ...{ tree, begunAt, shown, isSteady },
    nodes: sameNodes ? before.nodes : nodes,
    operations: isUnchanged ? before.operations : views,
  };
}

/** @throws YtError while the scheduler has lost its masters: its orchid is old then. */
export async function assertConnected(api: YtReads): Promise<void> {
  const connected = await api.find(`${scheduler}/connected`);
  if (connected !== false) return;
  throw new YtError(
    'scheduler-disconnected',
    `The scheduler of ${api.url} is not connected to its masters (${scheduler}/connected is false): what its orchid shows is old. Wait, or ask the administrators of the cluster.`,
  );
}

/** @throws YtError or InputError */
export async function readTreeNodes(api: YtReads, tree: string): Promise<YtNode[]> {
  const fields = ['resource_limits', 'scheduler_state', 'master_state', 'tags'];
  const [addresses, nodes] = await Promise.all([
    api.find(`${scheduler}/scheduling_info_per_pool_tree/${tree}/node_addresses`),
    firstOf(
      api,
      { path: `${scheduler}/nodes`, fields },
      { path: '//sys/cluster_nodes', attributes: ['resource_limits', 'state', 'tags'] },
      (answer) => answer,
    ),
  ]);
  return readNodes(
    nodes,
    addresses === undefined || addresses === null ? undefined : readAddresses(addresses),
  );
}

interface Both {
  orchid: ReadonlyMap<string, OrchidOperation>;
  listed: ReadonlyMap<string, ListedOperation>;
}

/** The pages that a list was made of: the same pages are the same list. */
const pagesOf = new WeakMap<ReadonlyMap<string, ListedOperation>, readonly object[]>();

async function readBoth(api: YtReads, tree: string, before: Both | undefined): Promise<Both> {
  const [orchid, listed] = await Promise.all([
    firstOf(
      api,
      { path: `${scheduler}/pool_trees/${tree}/operations`, fields: operationFields },
      { path: `${scheduler}/scheduling_info_per_pool_tree/${tree}/fair_share_info/operations` },
      readOrchid,
    ),
    listOperations(api, tree, before?.listed),
  ]);
  return { orchid, listed };
}

/** The value at the first path, or where older versions have it. @throws YtError */
async function firstOf<T>(
  api: YtReads,
  newer: Parameters,
  older: Parameters,
  read: (answer: unknown) => T,
): Promise<T> {
  try {
    return await api.readKept('get', { ...newer, return_only_value: true }, read);
  } catch (error) {
    if (!(error instanceof YtError) || !error.has(ytCodes.resolve)) throw error;
    return await api.readKept('get', { ...older, return_only_value: true }, read).catch(() => {
      throw error;
    });
  }
}

/**
 * All running operations of a tree, in pages from the newest on.
 *
 * @param before an earlier list, which is returned if all pages are the same.
 * @throws YtError or InputError
 */
export async function listOperations(
  api: YtReads,
  tree: string,
  before?: ReadonlyMap<string, ListedOperation>,
): Promise<ReadonlyMap<string, ListedOperation>> {
  const pages: object[] = [];
  const all = new Map<string, ListedOperation>();
  let cursor = Number.POSITIVE_INFINITY;
  for (;;) {
    const asked = {
      ...{ state: 'running', pool_tree: tree, limit: pageItems, include_counters: false },
      attributes: listedFields,
      ...(Number.isFinite(cursor) && {
        cursor_time: new Date(cursor).toISOString(),
        cursor_direction: 'past',
      }),
    };
    const page = await api.readKept('list_operations', asked, (answer) =>
      readSchedulerOperations(answer, tree),
    );
    const { operations, isIncomplete } = page;
    pages.push(page);
    const size = all.size;
    for (const one of operations) all.set(one.id, one);
    if (!isIncomplete || operations.length === 0) break;
    // Pages overlap, since operations may have started in the same millisecond; a page without a new one is passed by.
    const next = Math.min(...operations.map(({ startedAt }) => startedAt)) + 1;
    cursor = all.size === size ? Math.min(next, cursor) - 1 : next;
  }
  const known = before && pagesOf.get(before);
  if (known?.length === pages.length && known.every((page, i) => page === pages[i])) return before ?? all;
  pagesOf.set(all, pages);
  return all;
}

/** Requests for lists that are under way, as many as the API sends at the same time. */
const listsAtOnce = 8;

/** Does the work for all, in their order, until one fails. Work that waits for its turn would take memory. */
async function fewAtOnce<T, R>(all: readonly T[], work: (one: T) => Promise<R>): Promise<R[]> {
  const made: R[] = [];
  let next = 0;
  const inTurn = async () => {
    while (next < all.length) {
      const index = next++;
      made[index] = await work(all[index] as T);
    }
  };
  try {
    await Promise.all(Array.from({ length: listsAtOnce }, inTurn));
    return made;
  } finally {
    next = all.length;
  }
}

/** The running jobs of an operation, in pages; none of one that is not there. @throws YtError or InputError */
export async function listJobs(
  api: YtReads,
  operation: string,
  addresses = new Map<string, string>(),
): Promise<ListedJobs> {
  const listed: ListedJobs = { jobs: [], tasks: new Set(), allocations: [] };
  for (let offset = 0; ; offset += pageItems) {
    const asked = { operation_id: operation, job_state: 'running', limit: pageItems, offset };
    try {
      const items = readJobs(await api.read('list_jobs', asked), listed, addresses);
      if (items < pageItems) return offset === 0 ? listed : eachOnce(listed);
    } catch (error) {
      // It has ended meanwhile, and the next reading of the orchid tells so.
      if (error instanceof YtError && error.has(ytCodes.noSuchOperation)) {
        return { jobs: [], tasks: new Set(), allocations: [] };
      }
      throw error;
    }
  }
}

/** Jobs that start meanwhile move others to the next page. */
function eachOnce({ jobs, tasks, allocations }: ListedJobs): ListedJobs {
  const places = [...new Map(jobs.map(({ id }, index) => [id, index])).values()];
  return {
    tasks,
    jobs: places.map((index) => jobs[index] as YtJob),
    allocations: places.map((index) => allocations[index]),
  };
}

type Places = (pool: string) => string;

/** Pools that YTsaurus has made by itself are in the orchid alone. */
async function placesOf(
  api: YtReads,
  name: string,
  tree: PoolTree,
  orchid: ReadonlyMap<string, OrchidOperation>,
): Promise<Places> {
  const isKnown = [...orchid.values()].every(({ pool }) => tree.paths.has(pool.toLowerCase()));
  const parents = isKnown
    ? new Map<string, string>()
    : await api.readKept(
        'get',
        { path: `${scheduler}/pool_trees/${name}/pools`, fields: ['parent'], return_only_value: true },
        readParents,
      );
  const found = new Map<string, string>();
  return (pool) => {
    const known = found.get(pool);
    if (known !== undefined) return known;
    const path = pathIn(tree, pool, parents);
    found.set(pool, path);
    return path;
  };
}

type Shown = Pick<OperationView, 'listed' | 'queue'> & { orchid: OrchidOperation | undefined };

function at({ orchid, listed }: Both, id: string, places: Places): Shown {
  const one = orchid.get(id);
  return { orchid: one, listed: listed.get(id), queue: one === undefined ? '' : places(one.pool) };
}

/** The same readings of the same answers need no comparison. */
const isSameAt = (a: Shown, b: Shown): boolean =>
  a.queue === b.queue && isSameReading(a.orchid, b.orchid) && isSameReading(a.listed, b.listed);

const isSameReading = (a: unknown, b: unknown): boolean => a === b || JSON.stringify(a) === JSON.stringify(b);

function sameOrNothing(
  view: OperationView,
  shown: Both,
  places: Places,
  listedSince: number,
): OperationView | undefined {
  if (!view.isSettled) return undefined;
  if (view.listed?.progress === undefined && view.listedAt < listedSince) return undefined;
  return isSameAt(view, at(shown, view.id, places)) ? view : undefined;
}

/**
 * What each job holds: lists do not tell. Where all hold the same, it is a part of what the operation uses; undefined: they may not, and their
 * nodes have to tell.
 */
function evenlyHeld({ usage }: OrchidOperation, { jobs, tasks }: ListedJobs): Held | undefined {
  const { length: count } = jobs;
  if (count === 0) return { each: {}, fits: Object.keys(usage).length === 0 };
  const { pods = count } = usage;
  if (pods !== count) return { each: averageOf(usage, count), fits: false };
  const part = tasks.size === 1 ? partOfAnswer(usage, count) : undefined;
  return part && { each: part, fits: true };
}

/**
 * The node of each job tells what it was given. What does not add up to what the operation uses is marked, so that nothing is planned on it.
 *
 * @param before of the same operation: jobs keep what they hold.
 */
async function heldByNodes(
  api: YtReads,
  { usage }: OrchidOperation,
  { jobs, allocations }: ListedJobs,
  before: OperationView | undefined,
): Promise<Held> {
  const known = new Map(
    before?.held.fits ? before.jobs.map(({ id }) => [id, heldByJob(before.held, id)] as const) : [],
  );
  const own = new Map<string, Resources>();
  await Promise.all(
    jobs.map(async ({ id, node }, index) => {
      const resources = known.get(id) ?? (await readAllocation(api, node, allocations[index]));
      if (resources !== undefined) own.set(id, resources);
    }),
  );
  const each = averageOf(usage, jobs.length);
  const fits = own.size === jobs.length && isSame(sumOf([...own.values()]), usage);
  return fits ? { each, own, fits } : { each, fits };
}

/** What the node of a job was asked for; undefined where it does not tell. */
async function readAllocation(
  api: YtReads,
  node: string | undefined,
  allocation: string | undefined,
): Promise<Resources | undefined> {
  if (node === undefined || allocation === undefined) return undefined;
  const path = `//sys/cluster_nodes/${node}/orchid/exec_node/job_controller/allocations/${allocation}/initial_resource_demand`;
  try {
    return ytsaurusAmounts(await api.find(path), path);
  } catch {
    return undefined;
  }
}

const averageOf = (usage: Resources, count: number): Resources =>
  Object.fromEntries(
    Object.entries(usage)
      .map(([type, amount]) => [type, Math.floor(amount / count)] as const)
      .filter(([, amount]) => amount > 0),
  );

/**
 * What an operation asks for beside what it uses, if its pending jobs all ask for the same; undefined if they do not, or if it is not told:
 * then nothing is made free for it.
 */
export function askOf({
  usage,
  demand,
}: OrchidOperation): { resources: Resources; count: number } | undefined {
  const wanted: Record<string, number> = {};
  for (const [type, amount] of Object.entries(demand)) {
    const more = amount - (usage[type] ?? 0);
    if (more > 0) wanted[type] = more;
  }
  const { pods: count = 0 } = wanted;
  if (count === 0) return undefined;
  const resources = partOfAnswer(wanted, count);
  return resources && { resources, count };
}
