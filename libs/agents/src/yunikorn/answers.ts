import { InputError, type Resources } from '#contracts';
import { amountsIn, fieldsOf, flagOf, listIn, momentIn, optionalText, textIn } from './fields.js';

/*
 * The fields read from objects of YuniKorn's REST API and of its state dumps. An invalid field is an InputError with the path of the
 * field.
 */

export interface YunikornPartition {
  name: string;
  /** YuniKorn enforces lowered quotas itself. */
  quotaPreemptionEnabled: boolean;
}

/** An allocation, or a request that waits for one: a pod of Kubernetes. */
export interface YunikornAllocation {
  /** Of the pod; undefined: of something else. */
  pod: string | undefined;
  /** The uid of the pod. */
  uid: string;
  /** Undefined: it waits. */
  node: string | undefined;
  priority: number;
  /** On the first pod of every application that is no placeholder. */
  originator: boolean;
  /** It holds room for a member of its task group. */
  placeholder: boolean;
  /** It belongs to one node, as pods of a DaemonSet do that have the node affinity as well. */
  isBoundToNode: boolean;
  /** YuniKorn is ending it. */
  preempted: boolean;
  /** Not read yet; `amountsOf`. */
  resource: unknown;
  /** When the pod was created, in whole seconds. */
  requestTime: unknown;
}

/** Its role in its application. A placeholder is not work, whatever its other flags. */
export function roleOf({
  placeholder,
  isBoundToNode,
  originator,
}: Pick<YunikornAllocation, 'placeholder' | 'isBoundToNode' | 'originator'>):
  | 'placeholder'
  | 'daemon'
  | 'originator'
  | undefined {
  if (placeholder) return 'placeholder';
  if (isBoundToNode) return 'daemon';
  return originator ? 'originator' : undefined;
}

export interface YunikornApplication {
  id: string;
  queue: string;
  user: string | undefined;
  submittedAt: string;
  allocations: YunikornAllocation[];
  requests: YunikornAllocation[];
}

export interface YunikornQueue {
  path: string;
  max: Resources;
  guaranteed: Resources;
  /** What its allocations, and those of the queues below it, use. Not read yet; `amountsOf`. */
  allocated: unknown;
  isLeaf: boolean;
  /** false: made for a placement, not by the configuration. */
  isManaged: boolean;
  /** Of its own quota preemption, inherited; `0s` is none. */
  quotaPreemptionDelay: string;
}

/** `/ws/v1/partitions`. It is empty until YuniKorn has registered with Kubernetes. */
export function readYunikornPartitions(value: unknown, path: string): YunikornPartition[] {
  return listIn(value, path).map((item, index) => {
    const at = `${path}[${index}]`;
    const { name, quotaPreemptionEnabled } = fieldsOf(item, at);
    return {
      name: textIn(name, `${at}.name`).toLowerCase(),
      quotaPreemptionEnabled: flagOf(quotaPreemptionEnabled, `${at}.quotaPreemptionEnabled`),
    };
  });
}

/** `/ws/v1/clusters`: the version of the build, such as `1.9.0`; custom builds report `latest`, or nothing. */
export function readYunikornVersion(value: unknown, path: string): string | undefined {
  const [cluster] = listIn(value, path);
  if (cluster === undefined) return undefined;
  const at = `${path}[0].rmBuildInformation`;
  const [build] = listIn(fieldsOf(cluster, `${path}[0]`).rmBuildInformation, at);
  return build === undefined
    ? undefined
    : optionalText(fieldsOf(build, `${at}[0]`).buildVersion, `${at}[0].buildVersion`);
}

/** `/ws/v1/partition/{partition}/applications/active` */
export function readYunikornApplications(value: unknown, path: string): YunikornApplication[] {
  return listIn(value, path).map((item, index) => readApplication(item, `${path}[${index}]`));
}

export function readApplication(item: unknown, at: string): YunikornApplication {
  const fields = fieldsOf(item, at);
  const allocations = (key: 'allocations' | 'requests') =>
    listIn(fields[key], `${at}.${key}`).map((one, index) => readAllocation(one, `${at}.${key}[${index}]`));
  return {
    id: textIn(fields.applicationID, `${at}.applicationID`),
    queue: textIn(fields.queueName, `${at}.queueName`).toLowerCase(),
    user: optionalText(fields.user, `${at}.user`),
    submittedAt: momentIn(fields.submissionTime, `${at}.submissionTime`),
    allocations: allocations('allocations'),
    requests: allocations('requests'),
  };
}

function readAllocation(item: unknown, at: string): YunikornAllocation {
  const fields = fieldsOf(item, at);
  const tags = fields.allocationTags == null ? {} : fieldsOf(fields.allocationTags, `${at}.allocationTags`);
  const tag = (name: string) => optionalText(tags[name], `${at}.allocationTags["${name}"]`);
  const namespace = tag('kubernetes.io/meta/namespace');
  const name = tag('kubernetes.io/meta/podName');
  return {
    pod: namespace && name && `${namespace}/${name}`,
    uid: textIn(fields.allocationKey, `${at}.allocationKey`),
    node: optionalText(fields.nodeId, `${at}.nodeId`),
    priority: priorityOf(fields.priority, `${at}.priority`),
    originator: flagOf(fields.originator, `${at}.originator`),
    placeholder: flagOf(fields.placeholder, `${at}.placeholder`),
    isBoundToNode: tag('yunikorn.apache.org/requiredNode') !== undefined,
    preempted: flagOf(fields.preempted, `${at}.preempted`),
    resource: fields.resource,
    requestTime: fields.requestTime,
  };
}

/** A number as a text. */
function priorityOf(value: unknown, path: string): number {
  const text = optionalText(value, path) ?? '0';
  const priority = Number(text);
  if (!Number.isInteger(priority))
    throw new InputError(path, `${JSON.stringify(text)} is not a whole number`);
  return Math.min(Math.max(priority, -2_147_483_648), 2_147_483_647);
}

/** `/ws/v1/partition/{partition}/queues`: one tree, here with every queue before those below it. */
export function readYunikornQueues(value: unknown, path: string): YunikornQueue[] {
  const queues: YunikornQueue[] = [];
  const visit = (item: unknown, at: string) => {
    const fields = fieldsOf(item, at);
    const queue = textIn(fields.queuename, `${at}.queuename`).toLowerCase();
    queues.push({
      path: queue,
      max: amountsIn(fields.maxResource, `${at}.maxResource`),
      guaranteed: amountsIn(fields.guaranteedResource, `${at}.guaranteedResource`),
      allocated: fields.allocatedResource,
      isLeaf: flagOf(fields.isLeaf, `${at}.isLeaf`),
      isManaged: flagOf(fields.isManaged, `${at}.isManaged`),
      quotaPreemptionDelay: optionalText(fields.quotaPreemptionDelay, `${at}.quotaPreemptionDelay`) ?? '0s',
    });
    for (const [index, child] of listIn(fields.children, `${at}.children`).entries()) {
      visit(child, `${at}.children[${index}]`);
    }
  };
  visit(value, path);
  return queues;
}

export interface YunikornNode {
  id: string;
  capacity: Resources;
  schedulable: boolean;
}

/** `/ws/v1/partition/{partition}/nodes` */
export function readYunikornNodes(value: unknown, path: string): YunikornNode[] {
  return listIn(value, path).map((item, index) => {
    const at = `${path}[${index}]`;
    const { nodeID, capacity, schedulable } = fieldsOf(item, at);
    return {
      id: textIn(nodeID, `${at}.nodeID`),
      capacity: amountsIn(capacity, `${at}.capacity`),
      schedulable: flagOf(schedulable, `${at}.schedulable`),
    };
  });
}
