import {
  assertConnected,
  chooseTree,
  listOperations,
  readPoolTree,
  readTreeNodes,
  type YtApi,
  YtError,
} from '#agents/ytsaurus';
import { preemptsByItself } from '#configuration';
import { isObject } from '#contracts';
import type { YtsaurusVariables } from '#runtime';
import { machineNow } from '../kubernetes/open-kubernetes.js';
import { openYtsaurus } from '../ytsaurus/open-ytsaurus.js';
import { type Check, clockCheck, runCheck, skewSeconds } from './check.js';
import type { ExamineOptions } from './doctor.js';
import { surroundings } from './doctor.js';

/** Commands without which nothing can be reported or evicted. */
const neededCommands = ['get', 'list', 'list_operations', 'list_jobs', 'abort_job'];

/** Checks a cluster of YTsaurus, and the Curtail that manages it. @throws SettingsError */
export async function examineYtsaurus(options: ExamineOptions): Promise<Check[]> {
  const [cluster, others] = await Promise.all([ytsaurusChecks(options.settings), surroundings(options)]);
  return [...cluster, ...others];
}

/**
 * Checks everything that Curtail needs of a pool tree of YTsaurus. It only reads.
 *
 * @throws SettingsError if an address or the file of the token cannot be used.
 */
export async function ytsaurusChecks(settings: YtsaurusVariables & { mode?: string }): Promise<Check[]> {
  const api = await openYtsaurus(settings);
  try {
    const proxy = await runCheck('proxy', () => proxyChecks(api), [
      'Give its address with --ytsaurus-url http://yt.example, and check that it runs and that this machine reaches it.',
    ]);
    if (proxy[0]?.status === 'problem') return proxy;
    let tree: string | undefined;
    const token = await runCheck('token', async () => {
      const known = api.hasToken ? 'the token is accepted' : 'no token is needed to read';
      const accepted = { name: 'token', status: 'ok' } as const;
      try {
        tree = await chooseTree(api, settings.ytsaurusTree);
      } catch (error) {
        if (!(error instanceof YtError) || error.code !== 'no-tree') throw error;
        // The proxy lists its trees only for a token that it accepts.
        const { message } = error;
        return [
          { ...accepted, message: known },
          { name: 'pool tree', status: 'problem', message },
        ];
      }
      return { ...accepted, message: `${known}; the pool tree is ${tree}` };
    });
    const name = tree;
    if (name === undefined) return [...proxy, ...token];
    const checks = await Promise.all([
      runCheck('scheduler', async () => {
        await assertConnected(api);
        return { name: 'scheduler', status: 'ok', message: 'it is connected, and its orchid is current' };
      }),
      runCheck('pool tree', () => treeChecks(api, name)),
      runCheck('nodes', () => nodesCheck(api, name)),
      runCheck('rights', () => rightsCheck(api, name)),
    ]);
    return [...proxy, ...token, ...checks.flat()];
  } finally {
    api.close();
  }
}

async function proxyChecks(api: YtApi): Promise<Check[]> {
  const name = 'proxy';
  const commands = await api.commands();
  const missing = neededCommands.filter((one) => !commands.has(one));
  const from = machineNow().getTime();
  const date = await api.date();
  const to = machineNow().getTime();
  const found: Check =
    missing.length === 0
      ? { name, status: 'ok', message: `${api.url} answers with the HTTP API v4` }
      : {
          name,
          status: 'problem',
          message: `${api.url} has no ${missing.join(', ')} in its HTTP API v4`,
          remedy: ['Give the address of a proxy of YTsaurus, of a version with these commands.'],
        };
  return [found, ...(date === undefined ? [] : [clockCheck('YTsaurus', skewSeconds(date, { from, to }))])];
}

async function treeChecks(api: YtApi, tree: string): Promise<Check[]> {
  const name = 'pool tree';
  const { paths, printed } = await readPoolTree(api, tree, undefined);
  const attributes = isObject(printed)
    ? (printed as { $attributes?: { config?: unknown } }).$attributes
    : undefined;
  const config = isObject(attributes?.config) ? (attributes.config as Record<string, unknown>) : {};
  const main = typeof config.main_resource === 'string' ? config.main_resource : 'cpu, by default';
  const found: Check[] = [
    paths.size === 0
      ? {
          name,
          status: 'problem',
          message: `${tree} has no pools: nothing is guaranteed or limited there`,
          remedy: ['Name another tree with --ytsaurus-tree, or create its pools.'],
        }
      : { name, status: 'ok', message: `${tree} has ${paths.size} pools; its main resource is ${main}` },
  ];
  if (preemptsByItself(config)) {
    found.push({
      name: 'other schedulers',
      status: 'note',
      message: 'the scheduler of YTsaurus preempts by itself in this tree: where Curtail evicts, both would',
      remedy: ['Read "Who preempts" in docs/how-to/ytsaurus.md.'],
    });
  }
  return found;
}

async function nodesCheck(api: YtApi, tree: string): Promise<Check> {
  const nodes = await readTreeNodes(api, tree);
  if (nodes.length > 0) return { name: 'nodes', status: 'ok', message: `online in ${tree}: ${nodes.length}` };
  return {
    name: 'nodes',
    status: 'problem',
    message: `none is online in ${tree}: nothing can be planned there`,
    remedy: [
      "Check the tree's filter of nodes, and the nodes: yt get //sys/scheduler/orchid/scheduler/nodes",
    ],
  };
}

/** Whether jobs of others can be aborted: that needs `manage` on their operations. */
async function rightsCheck(api: YtApi, tree: string): Promise<Check> {
  const name = 'rights';
  const operations = await listOperations(api, tree);
  const seen = `running operations that it sees: ${operations.size}`;
  const user = await api.find('//sys/@current_user').catch(() => undefined);
  const who = await whoAmI(api, user);
  if (who === undefined) {
    const message = `${seen}; whether their jobs may be aborted is not told before it is tried`;
    return { name, status: 'note', message };
  }
  const answer = await api.read('check_permission', {
    user: who,
    permission: 'manage',
    path: '//sys/operations',
  });
  const { action } = isObject(answer) ? (answer as { action?: unknown }) : {};
  if (action === 'allow') return { name, status: 'ok', message: `${seen}; ${who} may abort their jobs` };
  return {
    name,
    status: 'problem',
    message: `${seen}, but ${who} may not abort their jobs: permission manage is not allowed`,
    remedy: [`Add ${who} to the group of superusers, or give it manage in the ACLs of operations.`],
  };
}

/** The user of the token; undefined where the proxy does not tell. */
async function whoAmI(api: YtApi, found: unknown): Promise<string | undefined> {
  if (typeof found === 'string') return found;
  try {
    const answer = await api.read('get_current_user', {});
    const { user } = isObject(answer) ? (answer as { user?: unknown }) : {};
    return typeof user === 'string' ? user : undefined;
  } catch (error) {
    if (error instanceof YtError) return undefined;
    throw error;
  }
}
