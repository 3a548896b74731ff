import { counted, InputError } from '#contracts';
import type { Snapshot } from '../../snapshot/columns.js';
import { TypeNames } from '../../snapshot/type-names.js';
import { makeAllocations } from './allocations.js';
import { AsksRead } from './asks.js';
import { ElementProperties } from './element-properties.js';
import { makeNodes } from './nodes.js';
import { readOperations } from './operations.js';
import { poolShift, readPools } from './pools.js';

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
