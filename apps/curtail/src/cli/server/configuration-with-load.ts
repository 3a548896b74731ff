import { type Document, isMap, isSeq, parseDocument, type YAMLMap, YAMLSeq } from 'yaml';
import type { QueueWork } from '#api-client';
import { readConfiguration } from '#configuration';
import { CommandError } from '../terminal/errors.js';
import type { Client } from './client.js';
import { ServerError } from './server-error.js';

type Work = Pick<QueueWork, 'queue' | 'usage'>;

/** Quotas exceed usage by this factor. */
const headroomPercent = 25;
const delaySeconds = 60;

/**
 * The configuration in force as text, plus a queue with a quota for each queue loaded under a path; all else in it stays unchanged,
 * including comments.
 *
 * @throws CommandError where the result would not be a configuration: too large, for example.
 */
export async function configurationWithLoad(
  client: Client,
  partition: string,
  under: string,
): Promise<string> {
  const { items } = await client.get('/v1/partitions/{partition}/simulated/queues', {
    params: { path: { partition }, query: { under } },
  });
  return withLoadQuotas(await inForce(client, partition), partition, under, items);
}

/** Exported for tests. */
export function withLoadQuotas(
  text: string,
  partition: string,
  under: string,
  work: readonly Work[],
): string {
  const document = parseDocument(text);
  const loaded = queueAt(document, partition, under);
  loaded.set('queues', document.createNode(treeOf(under, work)));
  let written = document.toString({ lineWidth: 0 });
  if (!hasDelay(written, partition, work)) {
    loaded.setIn(['resources', 'quota.preemption.delay'], delaySeconds);
    written = document.toString({ lineWidth: 0 });
  }
  const [error] = readConfiguration(written, {
    allowUnknown: true,
    guaranteedEqualsMax: 'allow',
  }).errors;
  if (error) throw new CommandError(`no configuration with these queues can be written: ${error.message}`);
  return written;
}

async function inForce(client: Client, partition: string): Promise<string> {
  try {
    const { body, format } = await client.get('/v1/partitions/{partition}/config', {
      params: { path: { partition } },
    });
    if (format !== undefined && format !== 'yunikorn') {
      throw new CommandError(
        `the configuration in force is a ${format} one; queues can be added to a queues.yaml only`,
      );
    }
    return body;
  } catch (error) {
    if (!(error instanceof ServerError) || error.problem.status !== 404) throw error;
    return `partitions:\n  - name: ${partition}\n    preemption:\n      quotapreemptionenabled: true\n    queues:\n      - name: root\n`;
  }
}

/** The queue at a path in a document; creates missing queues on the way. */
function queueAt(document: Document, partition: string, path: string): YAMLMap {
  const found = named(document.get('partitions'), partition);
  if (!found) throw new CommandError(`the configuration in force has no partition ${partition}`);
  const [, ...names] = path.split('.');
  const root = named(found.get('queues'), 'root');
  let above = root ?? found;
  for (const name of names) above = named(childrenOf(document, above), name) ?? added(document, above, name);
  return above;
}

function childrenOf(document: Document, queue: YAMLMap): YAMLSeq {
  const children = queue.get('queues');
  if (isSeq(children)) return children;
  const none = new YAMLSeq(document.schema);
  queue.set('queues', none);
  return none;
}

function added(document: Document, above: YAMLMap, name: string): YAMLMap {
  const queue = document.createNode({ name }) as YAMLMap;
  childrenOf(document, above).add(queue);
  return queue;
}

function named(list: unknown, name: string): YAMLMap | undefined {
  if (!isSeq(list)) return undefined;
  return list.items.find(
    (item): item is YAMLMap => isMap(item) && String(item.get('name')).toLowerCase() === name,
  );
}

interface Queue {
  name: string;
  resources?: { max: Record<string, string | number> };
  queues?: Queue[];
}

function treeOf(under: string, work: readonly Work[]): Queue[] {
  const top: Queue = { name: '' };
  const byPath = new Map<string, Queue>([[under, top]]);
  const at = (path: string): Queue => {
    const known = byPath.get(path);
    if (known) return known;
    const dot = path.lastIndexOf('.');
    const above = at(path.slice(0, dot));
    const queue: Queue = { name: path.slice(dot + 1) };
    above.queues = [...(above.queues ?? []), queue];
    byPath.set(path, queue);
    return queue;
  };
  for (const { queue, usage } of work) at(queue).resources = { max: quotaFor(usage) };
  return top.queues ?? [];
}

function quotaFor(usage: Record<string, number>): Record<string, string | number> {
  return Object.fromEntries(Object.entries(usage).map(([type, amount]) => [type, quantityFor(type, amount)]));
}

/** In whole gigabytes and cores, as people write quotas. */
function quantityFor(type: string, amount: number): string | number {
  const wanted = (amount * (100 + headroomPercent)) / 100;
  if (type === 'memory') return `${Math.ceil(wanted / 1e9)}G`;
  return Math.ceil(type === 'vcore' ? wanted / 1000 : wanted);
}

function hasDelay(text: string, partition: string, work: readonly Work[]): boolean {
  const paths = new Set(work.map(({ queue }) => queue));
  const leaf = readConfiguration(text).queues.find(
    (queue) => queue.partition.toLowerCase() === partition && paths.has(queue.path),
  );
  return leaf === undefined || leaf.delaySeconds > 0;
}
