import { InputError, isObject, type Resources } from '#contracts';
import { fieldsOf, listIn, textIn } from '../yunikorn/fields.js';

/** What the ResourceManager's answers mean. Each reader throws an InputError with the field that is not as YARN writes it. */

/** Amounts as YARN counts them: MB, vcores, and other types by name. */
export const mebibyte = 1024 * 1024;
export const millicores = 1000;

export interface YarnInfo {
  /** When this manager became the active one. */
  startedOn: number;
  isActive: boolean;
  version: string;
}

export interface YarnApp {
  id: string;
  user: string;
  /** As YARN writes it, such as `root.Prod`. */
  queue: string;
  state: string;
  priority: number;
  submittedAt: number;
  /** The current attempt, if the answer tells it. */
  attempt: string | undefined;
  /** undefined: not known, which is not none. */
  containers: number | undefined;
  allocated: Resources;
  /** Kept free for it on nodes: counted as used by its queue, and no container. */
  reserved: Resources;
  /** Requests without an answer, by size. */
  pending: YarnRequest[];
}

export interface YarnRequest {
  resources: Resources;
  count: number;
}

export interface YarnContainer {
  id: string;
  node: string;
  resources: Resources;
  startedAt: number;
}

export interface YarnNode {
  id: string;
  capacity: Resources;
  labels: string[];
}

export interface YarnQueue {
  /** As YARN writes it. */
  path: string;
  isLeaf: boolean;
  /** Made by YARN itself, so in no configuration. */
  isAutoCreated: boolean;
  /** In force; absent amounts were not shown. */
  guaranteed: Resources | undefined;
  max: Resources | undefined;
  /** By its applications, with what is reserved for them; undefined: not shown. */
  used?: Resources | undefined;
  isPreemptionDisabled: boolean;
}

export interface YarnQueues {
  /** Depth first, root first. */
  queues: YarnQueue[];
  /** Names of the node labels that have capacities of their own. */
  labels: string[];
}

export function readInfo(answer: unknown): YarnInfo {
  const info = fieldsOf(fieldsOf(answer, '').clusterInfo, 'clusterInfo');
  return {
    startedOn: whole(info.startedOn, 'clusterInfo.startedOn'),
    isActive: info.haState === 'ACTIVE' && info.state === 'STARTED',
    version: textIn(info.resourceManagerVersion, 'clusterInfo.resourceManagerVersion'),
  };
}

/**
 * Applications that hold or ask for resources.
 *
 * @throws YarnInvisible for a running one of which the caller sees only zeros.
 */
export function readApps(answer: unknown): YarnApp[] {
  const { apps } = fieldsOf(answer, '');
  // No application: {"apps":{}}, and null in older versions. Without the key, it is some other answer.
  if (apps === undefined)
    throw new InputError('apps', 'a list of applications is expected here, not nothing');
  const list = apps === null ? [] : itemsOf(fieldsOf(apps, 'apps').app, 'apps.app');
  return list.map((item, index) => readApp(item, `apps.app[${index}]`));
}

function readApp(item: unknown, path: string): YarnApp {
  const app = fieldsOf(item, path);
  const id = textIn(app.id, `${path}.id`);
  const state = textIn(app.state, `${path}.state`);
  const startedTime = whole(app.startedTime, `${path}.startedTime`);
  if (startedTime === 0) throw new YarnInvisible(id);
  const containers = signed(app.runningContainers, `${path}.runningContainers`);
  const logs = typeof app.amContainerLogs === 'string' ? app.amContainerLogs : '';
  return {
    id,
    user: textIn(app.user, `${path}.user`),
    queue: textIn(app.queue, `${path}.queue`),
    state,
    priority: signed(app.priority ?? 0, `${path}.priority`),
    submittedAt: startedTime,
    attempt: attemptOf(id, /container_(?:e\d+_)?\d+_\d+_(\d+)_\d+/.exec(logs)?.[1]),
    containers: containers < 0 ? undefined : containers,
    allocated: {
      memory: Math.max(0, signed(app.allocatedMB, `${path}.allocatedMB`)) * mebibyte,
      vcore: Math.max(0, signed(app.allocatedVCores, `${path}.allocatedVCores`)) * millicores,
    },
    reserved: {
      memory: Math.max(0, signed(app.reservedMB ?? 0, `${path}.reservedMB`)) * mebibyte,
      vcore: Math.max(0, signed(app.reservedVCores ?? 0, `${path}.reservedVCores`)) * millicores,
    },
    pending: readRequests(app.resourceRequests, `${path}.resourceRequests`),
  };
}

/** `appattempt_…_000002` of the application and the number of the attempt. */
export const attemptOf = (app: string, number: string | undefined): string | undefined =>
  number === undefined
    ? undefined
    : `${app.replace(/^application_/, 'appattempt_')}_${number.padStart(6, '0')}`;

/** The last attempt of an application; undefined if there is none yet. */
export function readLastAttempt(answer: unknown): string | undefined {
  const { appAttempts } = fieldsOf(answer, '');
  if (appAttempts === undefined || appAttempts === null) return undefined;
  const list = itemsOf(fieldsOf(appAttempts, 'appAttempts').appAttempt, 'appAttempts.appAttempt');
  return list
    .map((item, index) => {
      const path = `appAttempts.appAttempt[${index}]`;
      return textIn(fieldsOf(item, path).appAttemptId, `${path}.appAttemptId`);
    })
    .sort()
    .at(-1);
}

/** Requests for any place, by size; those for a node or a rack are parts of them. */
function readRequests(value: unknown, path: string): YarnRequest[] {
  const sizes = new Map<string, YarnRequest>();
  for (const [index, item] of itemsOf(value, path).entries()) {
    const at = `${path}[${index}]`;
    const request = fieldsOf(item, at);
    if (request.resourceName !== '*') continue;
    const count = signed(request.numContainers, `${at}.numContainers`);
    if (count <= 0) continue;
    const resources = readAmounts(request.capability, `${at}.capability`);
    const key = keyOf(resources);
    const known = sizes.get(key);
    sizes.set(key, { resources, count: count + (known?.count ?? 0) });
  }
  return [...sizes.values()];
}

export const keyOf = (resources: Resources): string =>
  JSON.stringify(Object.entries(resources).sort(([a], [b]) => (a < b ? -1 : 1)));

/** Containers that have not ended. Numbers are texts here, a single one is not in a list, and none is `{}`. */
export function readContainers(answer: unknown): YarnContainer[] {
  const containers: YarnContainer[] = [];
  for (const [index, item] of itemsOf(fieldsOf(answer, '').container, 'container').entries()) {
    try {
      const container = readContainer(item);
      if (container !== undefined) containers.push(container);
    } catch (error) {
      if (!(error instanceof InputError)) throw error;
      // Paths are made for errors only: there are many containers, and their lists are read again and again.
      throw new InputError(`container[${index}]${error.path === '' ? '' : `.${error.path}`}`, error.message);
    }
  }
  return containers;
}

/** @returns undefined for one that has ended. */
function readContainer(item: unknown): YarnContainer | undefined {
  const container = fieldsOf(item, '');
  if (container.containerState === 'COMPLETE') return undefined;
  const resources: Record<string, number> = {
    memory: whole(container.allocatedMB, 'allocatedMB') * mebibyte,
    vcore: whole(container.allocatedVCores, 'allocatedVCores') * millicores,
  };
  const { allocatedResources } = container;
  const further = isObject(allocatedResources) ? (allocatedResources as { entry?: unknown }).entry : [];
  for (const one of itemsOf(further, 'allocatedResources.entry')) {
    const entry = fieldsOf(one, 'allocatedResources.entry');
    const key = textIn(entry.key, 'allocatedResources.entry.key');
    if (key === 'memory-mb' || key === 'vcores') continue;
    resources[key] = whole(entry.value, `allocatedResources.${key}`);
  }
  return {
    id: textIn(container.containerId, 'containerId'),
    node: textIn(container.assignedNodeId ?? container.nodeId, 'assignedNodeId'),
    resources,
    startedAt: whole(container.startedTime, 'startedTime'),
  };
}

/** States in which a node has its part in the resources of the cluster. */
const counting = new Set(['RUNNING', 'DECOMMISSIONING']);

/** Nodes that have their part in the resources of the cluster. */
export function readNodes(answer: unknown): YarnNode[] {
  const { nodes } = fieldsOf(answer, '');
  if (nodes === undefined) throw new InputError('nodes', 'a list of nodes is expected here, not nothing');
  const list = nodes === null ? [] : itemsOf(fieldsOf(nodes, 'nodes').node, 'nodes.node');
  return list.flatMap((item, index) => {
    const path = `nodes.node[${index}]`;
    const node = fieldsOf(item, path);
    if (!counting.has(textIn(node.state, `${path}.state`))) return [];
    const capacity =
      node.totalResource === undefined
        ? {
            memory:
              (whole(node.usedMemoryMB, `${path}.usedMemoryMB`) +
                whole(node.availMemoryMB, `${path}.availMemoryMB`)) *
              mebibyte,
            vcore:
              (whole(node.usedVirtualCores, `${path}.usedVirtualCores`) +
                whole(node.availableVirtualCores, `${path}.availableVirtualCores`)) *
              millicores,
          }
        : readAmounts(node.totalResource, `${path}.totalResource`);
    const labels = itemsOf(node.nodeLabels, `${path}.nodeLabels`).filter(
      (label): label is string => typeof label === 'string' && label !== '',
    );
    return [{ id: textIn(node.id, `${path}.id`), capacity, labels }];
  });
}

/** @throws InputError for another scheduler than the Capacity Scheduler. */
export function readScheduler(answer: unknown): YarnQueues {
  const path = 'scheduler.schedulerInfo';
  const info = fieldsOf(fieldsOf(fieldsOf(answer, '').scheduler, 'scheduler').schedulerInfo, path);
  if (info.type !== 'capacityScheduler') {
    throw new InputError(
      `${path}.type`,
      `YARN runs the scheduler ${JSON.stringify(info.type ?? null)}; Curtail enforces the quotas of the Capacity Scheduler, "capacityScheduler"`,
    );
  }
  const labels = new Set<string>();
  const queues: YarnQueue[] = [];
  const visit = (queue: ReturnType<typeof fieldsOf>, at: string, name: string) => {
    const children = itemsOf(
      queue.queues === undefined || queue.queues === null
        ? undefined
        : fieldsOf(queue.queues, `${at}.queues`).queue,
      `${at}.queues.queue`,
    );
    const capacities = isObject(queue.capacities) ? fieldsOf(queue.capacities, `${at}.capacities`) : {};
    const parts = itemsOf(
      capacities.queueCapacitiesByPartition,
      `${at}.capacities.queueCapacitiesByPartition`,
    );
    let shown: ReturnType<typeof fieldsOf> = {};
    for (const [index, part] of parts.entries()) {
      const fields = fieldsOf(part, `${at}.capacities.queueCapacitiesByPartition[${index}]`);
      if (fields.partitionName === '' || fields.partitionName === undefined) shown = fields;
      else labels.add(String(fields.partitionName));
    }
    queues.push({
      path: name,
      isLeaf: children.length === 0,
      isAutoCreated: queue.creationMethod !== undefined && queue.creationMethod !== 'static',
      guaranteed:
        shown.effectiveMinResource === undefined
          ? undefined
          : readAmounts(shown.effectiveMinResource, `${at}.effectiveMinResource`),
      max:
        shown.effectiveMaxResource === undefined
          ? undefined
          : readAmounts(shown.effectiveMaxResource, `${at}.effectiveMaxResource`),
      used:
        queue.resourcesUsed === undefined
          ? undefined
          : readAmounts(queue.resourcesUsed, `${at}.resourcesUsed`),
      isPreemptionDisabled: queue.preemptionDisabled === true,
    });
    for (const [index, child] of children.entries()) {
      const inside = `${at}.queues.queue[${index}]`;
      const fields = fieldsOf(child, inside);
      visit(fields, inside, `${name}.${textIn(fields.queueName, `${inside}.queueName`)}`);
    }
  };
  visit(info, path, 'root');
  return { queues, labels: [...labels].sort() };
}

/** `{"memory", "vCores", "resourceInformations": {"resourceInformation": [{"name", "value"}]}}`. */
function readAmounts(value: unknown, path: string): Resources {
  const fields = fieldsOf(value, path);
  const amounts: Record<string, number> = {
    memory: whole(fields.memory, `${path}.memory`) * mebibyte,
    vcore: whole(fields.vCores, `${path}.vCores`) * millicores,
  };
  if (!isObject(fields.resourceInformations)) return amounts;
  const list = itemsOf(
    (fields.resourceInformations as { resourceInformation?: unknown }).resourceInformation,
    `${path}.resourceInformations`,
  );
  for (const [index, item] of list.entries()) {
    const at = `${path}.resourceInformations[${index}]`;
    const one = fieldsOf(item, at);
    const name = textIn(one.name, `${at}.name`);
    if (name !== 'memory-mb' && name !== 'vcores') amounts[name] = whole(one.value, `${at}.value`);
  }
  return amounts;
}

/** YARN writes a list of one as its only item. */
function itemsOf(value: unknown, path: string): readonly unknown[] {
  return isObject(value) ? [value] : listIn(value, path);
}

/** A whole number, at least 0, as a number or as text. */
function whole(value: unknown, path: string): number {
  const number = signed(value, path);
  if (number >= 0) return number;
  throw new InputError(path, `a number of at least 0 is expected here, not ${number}`);
}

function signed(value: unknown, path: string): number {
  const number = typeof value === 'string' && /^-?\d{1,15}$/.test(value) ? Number(value) : value;
  if (typeof number === 'number' && Number.isSafeInteger(number)) return number;
  throw new InputError(
    path,
    `a whole number is expected here, not ${JSON.stringify(value ?? null)?.slice(0, 64)}`,
  );
}

/** The caller may not see an application: YARN answers 200 with zeros, and a plan would be made for an empty cluster. */
export class YarnInvisible extends InputError {
  constructor(id: string) {
    super(
      'apps.app',
      `${id} is shown with zeros, since the caller may not see it: name its user in yarn.admin.acl`,
    );
  }
}

/** The container of an application's master: with it, all containers of the attempt go. */
export const isMaster = (container: string): boolean =>
  Number(container.slice(container.lastIndexOf('_') + 1)) === 1;

/** The application of a container: `container_e17_1410901177871_0001_01_000005` is of `application_1410901177871_0001`. */
export function appOf(container: string): { app: string; attempt: string } | undefined {
  const [, cluster, number, attempt] = /^container_(?:e\d+_)?(\d+)_(\d+)_(\d+)_\d+$/.exec(container) ?? [];
  if (cluster === undefined) return undefined;
  const app = `application_${cluster}_${number}`;
  return { app, attempt: attemptOf(app, attempt) ?? '' };
}
