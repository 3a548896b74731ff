import { booleanAt } from '../../fields.js';
import { tableOf } from '../../snapshot/amount-list.js';
import type { Snapshot } from '../../snapshot/columns.js';
import type { NodeColumns } from './columns.js';
import { labelsAt } from './labels.js';
import { orderById } from './order-by-id.js';
import { pastInstantAt, propertiesAt } from './values.js';

export type NodesMade = Omit<NodeColumns, 'firstAllocation' | 'byNode'> & {
  /** Place in the input by number. */
  readonly places: Int32Array;
  readonly number: ReadonlyMap<string, number>;
};

/** The nodes by id. */
export function makeNodes({ nodes, takenAt }: Snapshot, finalNumber: Int32Array, width: number): NodesMade {
  const { places, ids, number, numberOf } = orderById(nodes.ids);
  const overcommittedSince = new Float64Array(nodes.count);
  const lastPreemptiveSchedulingAt = new Float64Array(nodes.count);
  places.forEach((place, n) => {
    const at = `nodes[${place}].properties`;
    const properties = propertiesAt(nodes.properties[place], at);
    const past = (name: string) => pastInstantAt(properties[name], `${at}.${name}`, takenAt);
    overcommittedSince[n] = past('overcommittedSince');
    lastPreemptiveSchedulingAt[n] = past('lastPreemptiveSchedulingAt');
  });
  const { thing, type, amount } = nodes.capacity;
  return {
    places,
    ids,
    number,
    count: nodes.count,
    overcommittedSince,
    lastPreemptiveSchedulingAt,
    capacity: tableOf(
      { thing: thing.map((n) => numberOf[n]!), type: type.map((t) => finalNumber[t]!), amount },
      nodes.count,
      width,
      -1,
    ),
    labels: Array.from(places, (place) => new Map(labelsAt(nodes.labels[place], `nodes[${place}].labels`))),
    schedulable: Uint8Array.from(places, (place) =>
      booleanAt(nodes.schedulable[place], `nodes[${place}].schedulable`, true) ? 1 : 0,
    ),
  };
}
