import type { Resources } from '#contracts';
import {
  readApps,
  readContainers,
  readInfo,
  readLastAttempt,
  readNodes,
  readScheduler,
  type YarnApp,
  type YarnContainer,
  type YarnInfo,
  type YarnNode,
  type YarnQueues,
} from './answers.js';
import { type Demand, demandOf } from './demand.js';
import { scannedContainers } from './scanned-containers.js';
import type { YarnApi } from './yarn-api.js';
import { YarnError } from './yarn-error.js';

/** An application with its containers. */
export interface AppView {
  app: YarnApp;
  containers: YarnContainer[];
  /** When they were listed, by a monotonic clock. */
  listedAt: number;
  /** Whether the list fits the totals that the manager shows of the application, before and after it. */
  isSettled: boolean;
  demand: Demand;
  /** Of the containers, those that the list lacks, and an earlier one had: it is shorter than its total. */
  missed?: readonly string[] | undefined;
}

/** What a manager showed of its cluster at one moment. */
export interface Look {
  info: YarnInfo;
  nodes: YarnNode[];
  queues: YarnQueues;
  apps: ReadonlyMap<string, AppView>;
  /** Whether the nodes add up to the resources that the queues are calculated from. */
  isSizeSettled: boolean;
  /** When it began, by a monotonic clock, in milliseconds: the state is at least that new. */
  begunAt: number;
}

export interface LookOptions {
  /** Milliseconds of a monotonic clock. */
  elapsed: () => number;
  /** Lists of applications whose totals stay are read again after this time: one container may have replaced another. */
  listAgainMs: number;
  /** Called for each list as it arrives, while others are under way. */
  onListed?: (view: Pick<AppView, 'app' | 'containers'>, queues: YarnQueues) => void;
}

const apps = '/apps?states=SUBMITTED,ACCEPTED,RUNNING&deSelects=resourceInfo,timeouts';
/** The manager has no revision: what does not fit is read so many times. */
const mostRounds = 3;

/**
 * Reads the whole cluster. Containers are asked for only of applications that changed since `before`. Lists that do not fit the totals of
 * their application, or the totals after them, are read again; one that never fits is marked. All of it is of the manager that `info` is of,
 * or of an earlier one, if that one took its place meanwhile.
 *
 * @throws YarnError or InputError: nothing is known then, and nothing may be concluded.
 */
export async function takeLook(api: YarnApi, before: Look | undefined, options: LookOptions): Promise<Look> {
  const begunAt = options.elapsed();
  const [, first, size] = await Promise.all([activeInfo(api), api.get(apps).then(readApps), readSize(api)]);
  const views = new Map<string, AppView>();
  let listed = first;
  let stale = new Set<string>();
  for (const app of first) {
    const known = before?.apps.get(app.id);
    if (known !== undefined && isUnchanged(known, app, begunAt - options.listAgainMs)) {
      views.set(app.id, { ...known, app });
    } else stale.add(app.id);
  }
  for (let round = 1; stale.size > 0 && round <= mostRounds; round++) {
    const asked = listed.filter(({ id }) => stale.has(id));
    const lists = await Promise.all(
      asked.map(async (app) => {
        const listedAt = options.elapsed();
        const containers = await containersOf(api, app, before?.apps.get(app.id));
        options.onListed?.({ app, containers }, size.queues);
        return { app, listedAt, containers };
      }),
    );
    listed = await api.get(apps).then(readApps);
    const now = new Map(listed.map((app) => [app.id, app]));
    for (const { app, containers, listedAt } of lists) {
      const after = now.get(app.id);
      if (after === undefined) continue;
      const isSettled = sameTotals(app, after) && fits(after, containers);
      views.set(app.id, { app: after, containers, listedAt, isSettled, demand: new Map() });
    }
    stale = new Set();
    for (const app of listed) {
      const view = views.get(app.id);
      if (view === undefined || !view.isSettled || !isUnchanged(view, app, 0)) stale.add(app.id);
    }
    // Those that ended meanwhile hold nothing.
    for (const id of [...views.keys()]) if (!now.has(id)) views.delete(id);
  }
  for (const id of stale) {
    const view = views.get(id);
    if (view !== undefined) views.set(id, { ...withMissed(view, before?.apps.get(id)), isSettled: false });
  }
  for (const [id, view] of views) views.set(id, { ...view, demand: demandOf(view, before?.apps.get(id)) });
  return { info: await activeInfo(api), ...size, apps: views, begunAt };
}

async function activeInfo(api: YarnApi): Promise<YarnInfo> {
  const info = readInfo(await api.get('/info'));
  if (info.isActive) return info;
  throw new YarnError(
    'not-active',
    `The ResourceManager at ${api.url} is not active: it is starting, or on standby.`,
  );
}

/** Where a list is shorter than its total, what it lacks has ended only if the next such list lacks it too. */
function withMissed(view: AppView, before: AppView | undefined): AppView {
  const { app, containers } = view;
  if (before === undefined || app.containers === undefined || containers.length >= app.containers)
    return view;
  const gone = new Set([...containers.map(({ id }) => id), ...(before.missed ?? [])]);
  const missed = before.containers.filter(({ id }) => !gone.has(id));
  if (missed.length === 0) return view;
  return { ...view, containers: [...containers, ...missed], missed: missed.map(({ id }) => id) };
}

async function readSize(api: YarnApi): Promise<Pick<Look, 'nodes' | 'queues' | 'isSizeSettled'>> {
  for (let round = 1; ; round++) {
    const [nodes, queues] = await Promise.all([
      api.get('/nodes').then(readNodes),
      api.get('/scheduler').then(readScheduler),
    ]);
    const all = queues.queues[0]?.max;
    const isSizeSettled = queues.labels.length === 0 && all !== undefined && sameAmounts(all, totalOf(nodes));
    if (isSizeSettled || round === mostRounds) return { nodes, queues, isSizeSettled };
  }
}

/** Amounts of all together. */
export function totalOf(nodes: readonly YarnNode[]): Resources {
  return sumOf(nodes.map(({ capacity }) => capacity));
}

export function sumOf(amounts: readonly Resources[]): Resources {
  const total: Record<string, number> = {};
  for (const one of amounts) {
    for (const type in one) total[type] = (total[type] ?? 0) + one[type]!;
  }
  return total;
}

const sameAmounts = (a: Resources, b: Resources): boolean =>
  ['memory', 'vcore'].every((type) => (a[type] ?? 0) === (b[type] ?? 0));

const sameTotals = (a: YarnApp, b: YarnApp): boolean =>
  a.state === b.state &&
  a.attempt === b.attempt &&
  a.queue === b.queue &&
  a.containers === b.containers &&
  sameAmounts(a.allocated, b.allocated);

function isUnchanged(known: AppView, app: YarnApp, listedSince: number): boolean {
  return known.isSettled && known.listedAt >= listedSince && sameTotals(known.app, app);
}

/** Whether a list is as long, and as large, as the totals of its application say. */
function fits(app: YarnApp, containers: readonly YarnContainer[]): boolean {
  if (app.containers === undefined) return app.state !== 'RUNNING' && containers.length === 0;
  return (
    app.containers === containers.length &&
    sameAmounts(app.allocated, sumOf(containers.map(({ resources }) => resources)))
  );
}

/** Where YARN does not tell the containers, those that were known stay: that it does not know them does not mean that none run. */
async function containersOf(
  api: YarnApi,
  app: YarnApp,
  known: AppView | undefined,
): Promise<YarnContainer[]> {
  const attempt = app.attempt ?? (await lastAttempt(api, app.id));
  if (attempt === undefined) return known?.containers ?? [];
  const listed = await listContainers(api, app.id, attempt);
  if (known !== undefined && (listed === undefined || sameContainers(known.containers, listed))) {
    return known.containers;
  }
  return listed ?? [];
}

/** Then the list that is known stays, and nothing that was made from it is made again. */
const sameContainers = (known: readonly YarnContainer[], listed: readonly YarnContainer[]): boolean =>
  known.length === listed.length &&
  known.every(({ id, node, resources, startedAt }, index) => {
    const now = listed[index]!;
    if (id !== now.id || node !== now.node || startedAt !== now.startedAt) return false;
    const [types, others] = [Object.keys(resources), Object.keys(now.resources)];
    return types.length === others.length && types.every((type) => resources[type] === now.resources[type]);
  });

async function lastAttempt(api: YarnApi, app: string): Promise<string | undefined> {
  const path = `/apps/${app}/appattempts`;
  const { status, body } = await api.call('GET', path);
  if (status === 200) return readLastAttempt(body);
  if (status === 404) return undefined;
  throw api.refusal('GET', path, status, body);
}

/**
 * The containers of an attempt that have not ended; undefined if YARN does not know the attempt, or no longer.
 *
 * @throws YarnError for any other answer.
 */
export async function listContainers(
  api: YarnApi,
  app: string,
  attempt: string,
): Promise<YarnContainer[] | undefined> {
  const path = `/apps/${app}/appattempts/${attempt}/containers`;
  const { status, text, body } = await api.read(path);
  if (status === 200) return scannedContainers(text) ?? readContainers(body() ?? {});
  // The application has no attempt yet, or has ended meanwhile.
  if (status === 404) return undefined;
  throw api.refusal('GET', path, status, body());
}
