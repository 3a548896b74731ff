import { monitorKey, readApps, readInfo, readNodes, readScheduler, type YarnApi } from '#agents/yarn';
import { InputError } from '#contracts';
import type { YarnVariables } from '#runtime';
import { machineNow } from '../kubernetes/open-kubernetes.js';
import { openYarn, openYarnSettings, wordsOf } from '../yarn/open-yarn.js';
import { type Check, clockCheck, runCheck, skewSeconds } from './check.js';
import { type ExamineOptions, surroundings } from './doctor.js';

/** Signals by the REST API came with this version. */
const leastVersion = [3, 3] as const;
const priorityKey = 'yarn.cluster.max-application-priority';
const aclKey = 'yarn.acl.enable';

/**
 * Checks everything that Curtail needs to manage a YARN cluster. It only reads.
 *
 * @throws SettingsError if an address or the file of settings cannot be used.
 */
export async function examineYarn(options: ExamineOptions): Promise<Check[]> {
  const [cluster, others] = await Promise.all([yarnChecks(options.settings), surroundings(options)]);
  return [...cluster, ...others];
}

/**
 * Checks everything that Curtail needs of a YARN cluster. It only reads.
 *
 * @throws SettingsError if an address or the file of settings cannot be used.
 */
export async function yarnChecks(settings: YarnVariables): Promise<Check[]> {
  const api = openYarn(settings);
  try {
    await openYarnSettings(settings);
    const check = (name: string, of: () => Promise<Check | readonly Check[]>, remedy?: readonly string[]) =>
      runCheck(name, () => withAddress(api, of), remedy);
    const manager = await check('ResourceManager', () => managerChecks(api), [
      'Give its address with --yarn-url http://rm.example:8088, and check that it runs and that this machine reaches it.',
    ]);
    if (manager[0]?.status === 'problem') return manager;
    const checks = await Promise.all([
      check('rights', () => rightsCheck(api, settings.yarnUser)),
      check('nodes', () => nodesCheck(api)),
      check('queues', () => queuesChecks(api, settings.yarnSettings)),
      check('other schedulers', () => monitorCheck(api)),
      check('priorities', () => priorityCheck(api)),
      check('signals', () => aclCheck(api)),
    ]);
    return [...manager, ...checks.flat()];
  } finally {
    api.close();
  }
}

/** Names who has answered where an answer is not as YARN writes it. */
async function withAddress<T>(api: YarnApi, check: () => Promise<T>): Promise<T> {
  try {
    return await check();
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    throw new InputError(
      error.path,
      `${api.url} answers otherwise than a ResourceManager: ${wordsOf(error)}`,
    );
  }
}

async function managerChecks(api: YarnApi): Promise<Check[]> {
  const name = 'ResourceManager';
  const { version, isActive } = readInfo(await api.get('/info'));
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const isOld = major < leastVersion[0] || (major === leastVersion[0] && minor < leastVersion[1]);
  const found: Check = isOld
    ? {
        name,
        status: 'problem',
        message: `${api.url} is Hadoop ${version}, whose REST API cannot signal containers: Curtail needs ${leastVersion.join('.')} or newer`,
        remedy: ['Observe only, with --mode observe, until YARN is upgraded.'],
      }
    : isActive
      ? { name, status: 'ok', message: `${api.url} answers as Hadoop ${version}` }
      : {
          name,
          status: 'problem',
          message: `${api.url} is not active: it is starting, or on standby`,
          remedy: ['Wait, or give the addresses of all managers, with commas in between.'],
        };
  const from = machineNow().getTime();
  const date = await api.date();
  const to = machineNow().getTime();
  return [found, ...(date === undefined ? [] : [clockCheck('YARN', skewSeconds(date, { from, to }))])];
}

async function rightsCheck(api: YarnApi, user: string | undefined): Promise<Check> {
  const name = 'rights';
  const path = '/scheduler-conf/version';
  const { status, body } = await api.call('GET', path);
  const who = user === undefined ? 'a caller without a name (CURTAIL_YARN_USER is not set)' : user;
  if (status === 403) {
    return {
      name,
      status: 'problem',
      message: `${who} is no administrator of YARN: the work of others would show as zeros, and a plan would be made for an empty cluster (${api.url} answers 403)`,
      remedy: ['Name a user with --yarn-user that stands in yarn.admin.acl.'],
    };
  }
  if (status !== 200 && status !== 400) throw api.refusal('GET', path, status, body);
  const apps = readApps(
    await api.get('/apps?states=SUBMITTED,ACCEPTED,RUNNING&deSelects=resourceInfo,timeouts'),
  );
  return { name, status: 'ok', message: `${who} is an administrator, and sees ${apps.length} applications` };
}

async function nodesCheck(api: YarnApi): Promise<Check> {
  const nodes = readNodes(await api.get('/nodes'));
  if (nodes.length > 0)
    return { name: 'nodes', status: 'ok', message: `${nodes.length} are part of the cluster` };
  const message = `none is part of the cluster of ${api.url}: shares of it have no amounts, and nothing is planned`;
  return {
    name: 'nodes',
    status: 'problem',
    message,
    remedy: ['Start the NodeManagers, and check: yarn node -list'],
  };
}

async function queuesChecks(api: YarnApi, file: string | undefined): Promise<Check[]> {
  const name = 'queues';
  const { queues, labels } = readScheduler(await api.get('/scheduler'));
  const { status } = await api.call('GET', '/scheduler-conf/version');
  const found: Check[] = [
    { name, status: 'ok', message: `${queues.length}, with the amounts that YARN enforces` },
  ];
  if (status === 400) {
    found.push(
      file === undefined
        ? {
            name,
            status: 'problem',
            message: 'the manager reads its queues from a file, and does not tell their properties',
            remedy: [
              'Give that file, with the settings of Curtail in it: --yarn-settings capacity-scheduler.xml',
            ],
          }
        : {
            name,
            status: 'note',
            message: `the manager reads its queues from a file; Curtail takes them from ${file}`,
          },
    );
  }
  if (labels.length > 0) {
    const message = `the node labels ${labels.join(', ')} have capacities of their own: Curtail enforces nothing in a cluster with node labels`;
    found.push({
      name,
      status: 'problem',
      message,
      remedy: ['Read "Node labels" in docs/reference/configuration.md.'],
    });
  }
  const created = queues.filter(({ isAutoCreated }) => isAutoCreated).length;
  if (created > 0) {
    const message = `${created} were made by YARN: their work counts in the nearest queue above that is configured`;
    found.push({ name, status: 'note', message });
  }
  if (file === undefined) {
    const message =
      'no file of settings: no queue has a delay, and in-queue preemption is off, so nothing is enforced';
    found.push({ name, status: 'note', message, remedy: ['Give one with --yarn-settings FILE.'] });
  }
  return found;
}

async function monitorCheck(api: YarnApi): Promise<Check> {
  const name = 'other schedulers';
  if ((await api.property(monitorKey)) !== 'true') {
    return { name, status: 'ok', message: "YARN's own preemption is off" };
  }
  const message = `YARN's own preemption is on (${monitorKey}): it and Curtail would both evict`;
  return { name, status: 'problem', message, remedy: [`Set ${monitorKey} to false in yarn-site.xml.`] };
}

async function priorityCheck(api: YarnApi): Promise<Check> {
  const name = 'priorities';
  const value = Number(await api.property(priorityKey));
  if (value > 0) return { name, status: 'ok', message: `applications have priorities from 0 to ${value}` };
  const message = `${priorityKey} is 0: all applications have the same priority, and none is more important`;
  return { name, status: 'note', message };
}

async function aclCheck(api: YarnApi): Promise<Check> {
  const isOn = (await api.property(aclKey)) === 'true';
  const acls = isOn ? 'its ACLs are on, but' : 'its ACLs are off, and';
  const message = `${acls} YARN lets anyone who reaches its REST API signal any container: guard that port`;
  return { name: 'signals', status: 'note', message };
}
