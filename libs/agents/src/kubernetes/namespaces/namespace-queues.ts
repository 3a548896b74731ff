import { readConfiguration } from '@curtail/configuration';
import { type GuaranteedEqualsMax, InputError, parseDelayDuration, type Resources } from '@curtail/contracts';
import { KubernetesError } from '../kubernetes-error.js';
import type { Namespace, ResourceQuota } from '../objects.js';
import type { Finding } from '../queue-source.js';
import { parseAmounts } from './amounts-annotation.js';
import { placeNamespaces } from './parents.js';
import { quotaAmounts } from './quota-amounts.js';

export const parentLabel = 'curtail.io/parent';
export const guaranteedAnnotation = 'curtail.io/guaranteed';
export const delayAnnotation = 'curtail.io/quota-preemption-delay';

export interface NamespaceQueues {
  /** In the shape of `queues.yaml`, for one partition. */
  configuration: object;
  /** The queue of the pods of each namespace. */
  queueOf: ReadonlyMap<string, string>;
  findings: Finding[];
}

export interface NamespaceQueuesOptions {
  partition: string;
  /** Of namespaces that have none and inherit none, a duration; `0` enforces nothing there. */
  delay: string;
  /** The setting of Curtail, which checks the queues again; default `refuse`. */
  guaranteedEqualsMax?: GuaranteedEqualsMax;
}

interface Queue {
  namespace: Namespace;
  name: string;
  parent: Queue | undefined;
  children: Queue[];
  max: Resources;
  guaranteed: Resources;
  /** The text of the annotation; undefined: inherited from the parent. */
  delay: string | undefined;
  /** It has an error, so nothing is enforced on it, nor on the queues above, since their runs would evict from it. */
  isWrong: boolean;
}

/**
 * The queues of a cluster without a batch scheduler: each namespace is one. Its ResourceQuotas give its max, its annotations give its
 * guaranteed amount and its delay, and its label names the namespace above it, whose quota then holds for both together.
 * The pods of a namespace that has others below it are in a leaf of the same name.
 *
 * Each error is a finding. Its queue is not enforced until the error is fixed, and neither are the queues above it; the rest of the
 * cluster is.
 */
export function namespaceQueues(
  namespaces: readonly Namespace[],
  quotas: readonly ResourceQuota[],
  options: NamespaceQueuesOptions,
): NamespaceQueues {
  const findings: Finding[] = [];
  const queues = readQueues(namespaces, quotas, findings);
  const roots = [...queues.values()].filter(({ parent }) => parent === undefined);
  const configuration = validConfiguration(roots, queues.size, options, findings);
  const queueOf = new Map([...queues].map(([name, queue]) => [name, leafPath(queue)]));
  return { configuration, queueOf, findings };
}

function readQueues(
  namespaces: readonly Namespace[],
  quotas: readonly ResourceQuota[],
  findings: Finding[],
): Map<string, Queue> {
  const quotasOf = new Map<string, ResourceQuota[]>();
  for (const quota of quotas) {
    const { namespace = '' } = quota.metadata;
    quotasOf.set(namespace, [...(quotasOf.get(namespace) ?? []), quota]);
  }
  const sorted = [...namespaces].sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
  const queues = new Map<string, Queue>();
  for (const namespace of sorted) {
    const { name } = namespace.metadata;
    const { max, findings: ofQuotas } = quotaAmounts(quotasOf.get(name) ?? []);
    findings.push(...ofQuotas);
    const queue: Queue = {
      namespace,
      name,
      parent: undefined,
      children: [],
      max,
      guaranteed: {},
      delay: undefined,
      isWrong: ofQuotas.some(({ severity }) => severity === 'error'),
    };
    queues.set(name, queue);
    readAnnotations(queue, findings);
  }
  const named = new Map(
    [...queues].map(([name, queue]) => [name, queue.namespace.metadata.labels?.[parentLabel]]),
  );
  for (const [name, { parent, wrong }] of placeNamespaces(named)) {
    const queue = queues.get(name)!;
    if (wrong) addFinding(queue, findings, `metadata.labels["${parentLabel}"]`, wrong.code, wrong.message);
    if (parent === undefined) continue;
    const above = queues.get(parent)!;
    queue.parent = above;
    above.children.push(queue);
  }
  return queues;
}

function readAnnotations(queue: Queue, findings: Finding[]): void {
  const { annotations = {} } = queue.namespace.metadata;
  const read = (key: string, take: (text: string, field: string) => void) => {
    const text = annotations[key];
    if (text === undefined) return;
    const field = `metadata.annotations["${key}"]`;
    try {
      take(text, field);
    } catch (error) {
      if (!(error instanceof InputError)) throw error;
      addFinding(queue, findings, field, 'annotation-unreadable', error.message);
    }
  };
  read(guaranteedAnnotation, (text, field) => {
    queue.guaranteed = parseAmounts(text, field);
  });
  read(delayAnnotation, (text, field) => {
    parseDelayDuration({ type: 'text', text: text.trim() }, field);
    queue.delay = text.trim();
  });
}

function addFinding(queue: Queue, findings: Finding[], field: string, code: string, message: string): void {
  const { name, uid } = queue.namespace.metadata;
  findings.push({
    severity: 'error',
    object: { kind: 'Namespace', namespace: name, name, uid },
    field,
    code,
    message,
  });
  queue.isWrong = true;
}

/**
 * Contradictory quotas would invalidate the whole configuration. So each namespace that the check finds wrong is removed, with a
 * finding, until the rest is valid.
 */
function validConfiguration(
  roots: readonly Queue[],
  count: number,
  options: NamespaceQueuesOptions,
  findings: Finding[],
): object {
  const { guaranteedEqualsMax = 'refuse' } = options;
  for (let round = 0; ; round++) {
    const places = new Map<string, Queue>();
    const configuration = configurationOf(roots, options, places);
    const { valid, errors } = readConfiguration(
      { json: configuration },
      { format: 'yunikorn', guaranteedEqualsMax },
    );
    if (valid) return configuration;
    const blamed = errors.flatMap((error) => {
      const queue = queueAt(error.path, places);
      return queue ? [{ error, queue }] : [];
    });
    if (blamed.length === 0 || round > count) {
      throw new KubernetesError(
        'quotas-contradict',
        `the quotas of the namespaces make no valid configuration: ${errors[0]?.path}: ${errors[0]?.message}`,
      );
    }
    for (const { error, queue } of blamed) {
      const field = error.path.slice(error.path.lastIndexOf('].') + 2);
      if (!queue.isWrong) addFinding(queue, findings, field, 'quotas-contradict', error.message);
      const hasMax = Object.keys(queue.max).length > 0;
      queue.max = {};
      if (!hasMax || /\.guaranteed/.test(error.path)) dropGuaranteed(queue);
    }
  }
}

/** The guaranteed amounts below add up to the queue, so they are removed as well. */
function dropGuaranteed(queue: Queue): void {
  queue.guaranteed = {};
  for (const child of queue.children) {
    child.isWrong = true;
    dropGuaranteed(child);
  }
}

function queueAt(path: string, places: ReadonlyMap<string, Queue>): Queue | undefined {
  for (let at = path; at !== ''; at = at.slice(0, Math.max(at.lastIndexOf('['), at.lastIndexOf('.'), 0))) {
    const queue = places.get(at);
    if (queue) return queue;
  }
  return undefined;
}

function configurationOf(
  roots: readonly Queue[],
  { partition, delay }: { partition: string; delay: string },
  places: Map<string, Queue>,
): object {
  const isOff = new Set<Queue>();
  const turnOff = (queue: Queue): boolean => {
    const below = queue.children.map(turnOff);
    const off = queue.isWrong || below.includes(true);
    if (off) isOff.add(queue);
    return off;
  };
  for (const root of roots) turnOff(root);

  const queueOf = (queue: Queue, inherited: string, path: string): object => {
    places.set(path, queue);
    const own = queue.delay ?? inherited;
    const children = queue.children.map((child, index) => queueOf(child, own, `${path}.queues[${index}]`));
    return {
      name: queue.name,
      resources: { max: asText(queue.max), guaranteed: asText(queue.guaranteed) },
      properties: { 'quota.preemption.delay': isOff.has(queue) ? '0' : own },
      ...(children.length > 0 && { queues: [...children, { name: queue.name }] }),
    };
  };
  const queues = roots.map((root, index) => queueOf(root, delay, `partitions[0].queues[0].queues[${index}]`));
  return {
    partitions: [
      {
        name: partition,
        preemption: { quotapreemptionenabled: true },
        queues: [{ name: 'root', queues }],
      },
    ],
  };
}

function asText(amounts: Resources): Record<string, string> {
  return Object.fromEntries(
    Object.entries(amounts).map(([type, amount]) => [type, type === 'vcore' ? `${amount}m` : String(amount)]),
  );
}

function leafPath(queue: Queue): string {
  const path = queuePath(queue);
  return queue.children.length > 0 ? `${path}.${queue.name}` : path;
}

function queuePath({ parent, name }: Queue): string {
  return `${parent ? queuePath(parent) : 'root'}.${name}`;
}
