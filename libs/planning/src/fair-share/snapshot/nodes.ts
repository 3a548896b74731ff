import { InputError, shown } from '@curtail/contracts';
import { arrayAt, booleanAt, isAbsent, nameAt, objectAt } from '../../fields.js';
import type { TypeNames } from '../../snapshot/type-names.js';
import { AmountsRead } from './amounts-read.js';
import { labelsAt } from './labels.js';
import { numberById } from './number-by-id.js';
import { pastInstantAt } from './values.js';

export interface NodesRead {
  ids: string[];
  number: Map<string, number>;
  /** Place in the input by number. */
  places: number[];
  capacity: AmountsRead;
  labels: Map<string, string>[];
  schedulable: Uint8Array;
  overcommittedSince: Float64Array;
  lastPreemptiveSchedulingAt: Float64Array;
}

/** Reads `nodes` of a snapshot, which may be absent. */
export function readNodes(input: unknown, types: TypeNames, takenAt: number): NodesRead {
  const raw = isAbsent(input) ? [] : arrayAt(input, 'nodes');
  const fields = raw.map((node, i) => objectAt(node, `nodes[${i}]`));
  const givenIds = fields.map(({ id }, i) => nameAt(id, `nodes[${i}].id`));
  const { ids, number, places } = numberById(givenIds, (i, id) => {
    throw new InputError(`nodes[${i}].id`, `the id ${shown(id)} is there twice; list each node once`);
  });
  const read: NodesRead = {
    ids,
    number,
    places,
    capacity: AmountsRead.of(types, true),
    labels: [],
    schedulable: new Uint8Array(ids.length),
    overcommittedSince: new Float64Array(ids.length),
    lastPreemptiveSchedulingAt: new Float64Array(ids.length),
  };
  places.forEach((i, n) => {
    const at = `nodes[${i}]`;
    const node = fields[i]!;
    read.capacity.read(node.capacity, `${at}.capacity`, n);
    read.labels.push(new Map(labelsAt(node.labels, `${at}.labels`)));
    read.schedulable[n] = booleanAt(node.schedulable, `${at}.schedulable`, true) ? 1 : 0;
    const properties = isAbsent(node.properties) ? {} : objectAt(node.properties, `${at}.properties`);
    for (const name of ['overcommittedSince', 'lastPreemptiveSchedulingAt'] as const) {
      read[name][n] = pastInstantAt(properties[name], `${at}.properties.${name}`, takenAt);
    }
  });
  return read;
}
