import { readConfiguration } from '#configuration';
import { InputError, parseDelayDuration, type Resources } from '#contracts';
import type { Namespace, ResourceQuota } from '../objects.js';
import type { Finding } from '../queue-source.js';
import { placeNamespaces } from './parents.js';
import { parseAmounts, quotaAmounts } from './quota-amounts.js';

export const parentLabel = 'curtail.io/parent';
export const guaranteedAnnotation = 'curtail.io/guaranteed';
export const delayAnnotation = 'curtail.io/quota-preemption-delay';

export interface NamespaceQueues {
  /** In the shape of `queues.yaml`, for one partition. */
  configuration: object;
  /** The queue of the pods of each namespace. */
  queueOf: ReadonlyMap<string, string>;
  /** Namespaces whose pods stay, since the amount that is guaranteed there cannot be read. */
  spared: ReadonlySet<string>;
  findings: Finding[];
  /** Of the findings, what is ignored although quotas are enforced there. */
  ignored: { queue: string; finding: Finding }[];
}

interface Queue {
  namespace: Namespace;
  name: string;
  parent: Queue | undefined;
  children: Queue[];
  max: Resources;
  guaranteed: Resources;
  /** The text of the annotation; undefined: inherited from the parent; `unknown`: the annotation cannot be read, so work stays. */
  delay: { text: string } | 'unknown' | undefined;
  isSpared: boolean;
}

/** Where nothing is enforced. */
const off = '0';

/**
 * The queues of a cluster without a batch scheduler: each namespace is one. Its ResourceQuotas give its max, its annotations give its
 * guaranteed amount and its delay, and its label names the namespace above it, whose quota then holds for both together.
 * The pods of a namespace that has others below it are in a leaf of the same name.
 *
 * Each object has its own author, so none of them can invalidate another: a quota may be above that of the namespace above, and both are enforced,
 * each with the delay of its own namespace. What cannot be read is left out with a finding, and everything else is enforced. Without a
 * guaranteed amount too much could be evicted, and without a delay too early: the pods of such a namespace and of those below it stay, or its own
 * quota is not enforced, until it can be read.
 *
 * @param options.delay of namespaces that have none and inherit none, as a duration; `0` enforces nothing there.
 */
export function namespaceQueues(
  namespaces: readonly Namespace[],
  quotas: readonly ResourceQuota[],
  options: { partition: string; delay: string },
): NamespaceQueues {
  const findings: Finding[] = [];
  const queues = readQueues(namespaces, quotas, findings);
  const roots = [...queues.values()].filter(({ parent }) => parent === undefined);
  const places = new Map<string, Queue>();
  const configuration = configurationOf(roots, options, places);
  const read = readConfiguration({ json: configuration }, { format: 'yunikorn' });
  for (const { code, path, message } of read.warnings) {
    const queue = queueAt(path, places);
    if (code !== 'guaranteed-above-max' || !queue) continue;
    // Of the namespace itself, or of those below it and its quota.
    const field = /\.guaranteed\b/.test(path) ? `metadata.annotations["${guaranteedAnnotation}"]` : 'quota';
    findings.push({ ...ofNamespace(queue), severity: 'warning', field, code, message });
  }
  const delays = new Map(read.queues.map(({ path, delayMs }) => [path, delayMs]));
  const ignored = findings.flatMap((finding) => {
    const queue = queues.get(finding.object.namespace);
    if (!finding.isIgnored || queue === undefined) return [];
    const path = queuePath(queue);
    return finding.severity === 'error' || delays.get(path) !== 0 ? [{ queue: path, finding }] : [];
  });
  return {
    configuration,
    queueOf: new Map([...queues].map(([name, queue]) => [name, leafPath(queue)])),
    spared: new Set([...queues.values()].flatMap((queue) => (isSparedIn(queue) ? [queue.name] : []))),
    findings,
    ignored,
  };
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
      isSpared: false,
    };
    queues.set(name, queue);
    readAnnotations(queue, findings);
  }
  const named = new Map(
    [...queues].map(([name, queue]) => [name, queue.namespace.metadata.labels?.[parentLabel]]),
  );
  for (const [name, { parent, wrong }] of placeNamespaces(named)) {
    const queue = queues.get(name)!;
    if (wrong) {
      const field = `metadata.labels["${parentLabel}"]`;
      const own =
        queue.delay === undefined
          ? 'is directly under root, and its quota is not enforced'
          : 'is directly under root';
      queue.delay ??= 'unknown';
      findings.push(
        unreadable(queue, field, wrong.code, `${wrong.message}; until then the namespace ${own}`),
      );
    }
    if (parent === undefined) continue;
    const above = queues.get(parent)!;
    queue.parent = above;
    above.children.push(queue);
  }
  return queues;
}

function readAnnotations(queue: Queue, findings: Finding[]): void {
  const { annotations = {} } = queue.namespace.metadata;
  const read = (key: string, take: (text: string, field: string) => void, untilThen: () => string) => {
    const text = annotations[key];
    if (text === undefined) return;
    const field = `metadata.annotations["${key}"]`;
    try {
      take(text, field);
    } catch (error) {
      if (!(error instanceof InputError)) throw error;
      const message = `${error.message}; until then ${untilThen()}`;
      findings.push(unreadable(queue, field, 'annotation-unreadable', message));
    }
  };
  read(
    guaranteedAnnotation,
    (text, field) => {
      queue.guaranteed = parseAmounts(text, field);
    },
    () => {
      queue.isSpared = true;
      return 'no pod of this namespace is evicted, nor of those below it';
    },
  );
  read(
    delayAnnotation,
    (text, field) => {
      parseDelayDuration({ type: 'text', text: text.trim() }, field);
      queue.delay = { text: text.trim() };
    },
    () => {
      queue.delay = 'unknown';
      return 'its quota is not enforced, nor are those of namespaces that inherit its delay';
    },
  );
}

const ofNamespace = ({ namespace: { metadata } }: Queue): Pick<Finding, 'object'> => ({
  object: { kind: 'Namespace', namespace: metadata.name, name: metadata.name, uid: metadata.uid },
});

const unreadable = (queue: Queue, field: string, code: string, message: string): Finding => ({
  ...ofNamespace(queue),
  severity: 'error',
  field,
  code,
  message,
  isIgnored: true,
});

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
  const queueOf = (queue: Queue, inherited: string, path: string): object => {
    places.set(path, queue);
    const own = queue.delay === 'unknown' ? off : (queue.delay?.text ?? inherited);
    const children = queue.children.map((child, index) => queueOf(child, own, `${path}.queues[${index}]`));
    return {
      name: queue.name,
      resources: { max: asText(queue.max), guaranteed: asText(queue.guaranteed) },
      properties: { 'quota.preemption.delay': own },
      ...(children.length > 0 && { queues: [...children, { name: queue.name }] }),
    };
  };
  const queues = roots.map((root, index) => queueOf(root, delay, `partitions[0].queues[0].queues[${index}]`));
  return {
    partitions: [
      {
        name: partition,
        preemption: { quotapreemptionenabled: true, independentquotas: true },
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

/** What is guaranteed to a namespace is for those below it as well. */
const isSparedIn = ({ isSpared, parent }: Queue): boolean =>
  isSpared || (parent !== undefined && isSparedIn(parent));

function leafPath(queue: Queue): string {
  const path = queuePath(queue);
  return queue.children.length > 0 ? `${path}.${queue.name}` : path;
}

function queuePath({ parent, name }: Queue): string {
  return `${parent ? queuePath(parent) : 'root'}.${name}`;
}
