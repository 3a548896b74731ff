import { InputError, nodeLabelsIn, shown } from '#contracts';
import { arrayAt, isAbsent, nameAt, objectAt } from '../fields.js';
import { AmountList } from './amounts.js';
import type { QueueSnapshot } from './by-queue.js';
import type { TypeNames } from './type-names.js';

export interface NodesRead {
  ids: string[];
  capacity: AmountList;
  haveCapacity: boolean;
  labels: unknown[];
  schedulable: unknown[];
  properties: unknown[];
}

/** Reads `nodes` of a snapshot, which may be absent: ids are distinct. */
export function readSnapshotNodes(input: unknown, types: TypeNames): NodesRead {
  const raw = isAbsent(input) ? [] : arrayAt(input, 'nodes');
  const capacity = AmountList.of(types, true);
  const read: NodesRead = {
    ids: [],
    capacity,
    haveCapacity: false,
    labels: [],
    schedulable: [],
    properties: [],
  };
  const seen = new Set<string>();
  raw.forEach((value, i) => {
    const node = objectAt(value, `nodes[${i}]`);
    const id = nameAt(node.id, `nodes[${i}].id`);
    if (seen.has(id))
      throw new InputError(`nodes[${i}].id`, `the id ${shown(id)} is there twice; list each node once`);
    seen.add(id);
    if (!isAbsent(node.capacity)) read.haveCapacity = true;
    capacity.read(node.capacity, `nodes[${i}].capacity`, i);
    read.ids.push(id);
    read.labels.push(node.labels);
    read.schedulable.push(node.schedulable);
    read.properties.push(node.properties);
  });
  return read;
}

/**
 * The node labels of the configuration: max, guaranteed amounts and usage of a snapshot are then not those of the scheduler, and nothing may be
 * planned by them. docs/reference/configuration.md, "Node labels"
 */
export function nodeLabelsOfSnapshot({ queues }: Pick<QueueSnapshot, 'queues'>): readonly string[] {
  const root = queues.number.get('root');
  return root === undefined ? [] : nodeLabelsIn(queues.properties[root]);
}
