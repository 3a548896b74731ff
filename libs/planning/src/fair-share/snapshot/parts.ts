import { counted, InputError } from '#contracts';
import { booleanAt } from '../../fields.js';
import { tableOf } from '../../snapshot/amounts.js';
import type { Snapshot } from '../../snapshot/columns.js';
import { TypeNames } from '../../snapshot/type-names.js';
import { makeAllocations } from './allocations.js';
import { AsksRead } from './asks.js';
import type { FairShareNodeColumns } from './columns.js';
import { ElementProperties } from './element-properties.js';
import { labelsAt } from './labels.js';
import { readOperations } from './operations.js';
import { poolShift, readPools } from './pools.js';
import { orderById, pastInstantAt, propertiesAt } from './values.js';

/** Tables of amounts have a cell for every thing and type; more cells than this would be gigabytes. */
const MOST_CELLS = 40_000_000;

export type Parts = ReturnType<typeof readParts>;

/**
 * The things of a snapshot as columns, each by itself, under the final numbers of the types.
 *
 * @throws InputError with the path of the first field that is wrong.
 */
export function readParts(snapshot: Snapshot) {
  const met = typesOf(snapshot);
  const elements = new ElementProperties(met, snapshot.takenAt);
  const askList = new AsksRead(met);
  const pools = readPools(snapshot, met, elements);
  const operations = readOperations(snapshot, poolShift(snapshot), elements, askList);
  const operationCount = operations.ids.length;
  const elementCount = pools.count + operationCount;
  refuseTooMany('nodes', snapshot.nodes.count, met.count);
  refuseTooMany('applications', elementCount + askList.labels.length, met.count);
  refuseTooMany('allocations', snapshot.allocations.count, met.count);

  const types = met.finish();
  const width = types.names.length;
  const nodes = makeNodes(snapshot, types.finalNumber, width);
  const allocations = makeAllocations(snapshot, operations.numberOf, nodes.number, types.finalNumber, width);
  const asks = askList.columns(types.finalNumber);
  const parent = new Int32Array(elementCount);
  parent.set(pools.parent);
  parent.set(operations.pool, pools.count);
  return {
    types,
    width,
    elementCount,
    operationCount,
    /** By element, -1 for the root. */
    parent,
    elements,
    pools,
    operations,
    nodes,
    allocations,
    asks,
  };
}

/** The types of the snapshot under their numbers, to which those that only properties name are added. */
function typesOf({ types, typeInUse, typesAtZero }: Snapshot): TypeNames {
  const met = new TypeNames();
  types.forEach((name, type) => {
    if (typeInUse[type] === 1) met.metInUse(name);
    else met.met(name);
  });
  for (const name of typesAtZero) met.metInUse(name);
  return met;
}

function refuseTooMany(path: string, things: number, types: number): void {
  if (things * types <= MOST_CELLS) return;
  throw new InputError(
    path,
    `${things} with ${counted(types, 'resource type')} are too many; their product may be ${MOST_CELLS}`,
  );
}

export type NodesMade = Omit<FairShareNodeColumns, 'firstAllocation' | 'byNode'> & {
  /** Place in the input by number. */
  readonly places: Int32Array;
  readonly number: ReadonlyMap<string, number>;
};

/** The nodes by id. */
function makeNodes({ nodes, takenAt }: Snapshot, finalNumber: Int32Array, width: number): NodesMade {
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
