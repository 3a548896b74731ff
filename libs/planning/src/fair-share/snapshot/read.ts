import { counted, InputError } from '@curtail/contracts';
import { groupsOf, numbersTo } from '../../groups-of.js';
import { keptBySnapshot } from '../../kept-by-snapshot.js';
import { tableOf } from '../../snapshot/amount-list.js';
import { notInstant } from '../../snapshot/applications.js';
import type { Snapshot } from '../../snapshot/columns.js';
import { TypeNames } from '../../snapshot/type-names.js';
import { makeAllocations } from './allocations.js';
import { AsksRead } from './asks.js';
import type { FairShareSnapshot } from './columns.js';
import { ElementProperties } from './element-properties.js';
import { makeNodes } from './nodes.js';
import { readOperations } from './operations.js';
import { poolShift, readPools } from './pools.js';
import { addPending, columnSums, sumUp } from './sums.js';

/** Tables of amounts have a cell for every thing and type; more cells than this would be gigabytes. */
const MOST_CELLS = 40_000_000;

/**
 * The part of a snapshot that fair shares need: the whole tree, and allocations by age.
 *
 * @throws InputError with the path of the first field that is wrong (docs/reference/policies/fair-share.md, "Bad input").
 */
export const fairShareSnapshotOf: (snapshot: Snapshot) => FairShareSnapshot = keptBySnapshot((snapshot) => {
  const { partition, takenAt } = snapshot;
  if (Number.isNaN(takenAt)) throw new InputError('takenAt', notInstant(undefined));
  const met = typesOf(snapshot);
  const elements = new ElementProperties(met, takenAt);
  const askList = new AsksRead(met);
  const pools = readPools(snapshot, met, elements);
  const operations = readOperations(snapshot, poolShift(snapshot), elements, askList);
  const poolCount = pools.count;
  const operationCount = operations.ids.length;
  const elementCount = poolCount + operationCount;
  refuseTooMany('nodes', snapshot.nodes.count, met.count);
  refuseTooMany('applications', elementCount + askList.labels.length, met.count);
  refuseTooMany('allocations', snapshot.allocations.count, met.count);

  const types = met.finish();
  const width = types.names.length;
  const nodes = makeNodes(snapshot, types.finalNumber, width);
  const allocations = makeAllocations(snapshot, operations.numberOf, nodes.number, types.finalNumber, width);
  const asks = askList.columns(types.finalNumber);
  const sumOf = (what: string, running: 0 | 1): Float64Array =>
    columnSums(
      allocations.size,
      types.names,
      what,
      (a) => allocations.running[a] === running,
      (a) => `allocations[${allocations.places[a]}].resources`,
    );
  const totals = columnSums(
    nodes.capacity,
    types.names,
    'the sum of all capacities',
    () => true,
    (node) => `nodes[${nodes.places[node]}].capacity`,
  );
  const inFlight = sumOf('what is in flight', 0);
  const usageOfAll = sumOf('the usage', 1);

  const parent = new Int32Array(elementCount);
  parent.set(pools.parent);
  parent.set(operations.pool, poolCount);
  const usage = new Float64Array(elementCount * width);
  for (let a = 0; a < allocations.count; a++) {
    if (allocations.running[a] === 0) continue;
    const row = (poolCount + allocations.operation[a]!) * width;
    for (let type = 0; type < width; type++) usage[row + type]! += allocations.size[a * width + type]!;
  }
  const demand = usage.slice();
  addPending(
    demand,
    width,
    poolCount,
    { ...operations, count: operationCount },
    asks,
    usageOfAll,
    (operation, place) => `applications[${operations.places[operation]}].pending[${place}].count`,
  );
  sumUp(usage, width, parent);
  sumUp(demand, width, parent);

  const runningOn = (groupOf: Int32Array): Int32Array =>
    groupOf.map((group, a) => (allocations.running[a] === 1 ? group : -1));
  const numbers = numbersTo(allocations.count);
  const ofOperation = groupsOf(numbers, runningOn(allocations.operation), operationCount);
  const onNode = groupsOf(
    numbersTo(allocations.count).reverse(),
    runningOn(allocations.node),
    nodes.ids.length,
  );
  const limits = elements.limit.columns(types.finalNumber);
  const limited = new Uint8Array(elementCount);
  for (const element of limits.thing) limited[element] = 1;
  const guaranteed = pools.guaranteed.columns(types.finalNumber);
  const childGroups = groupsOf(numbersTo(elementCount), parent, poolCount);
  const pending = new Float64Array(operationCount);
  for (let ask = 0; ask < asks.count; ask++) pending[asks.operation[ask]!]! += asks.waiting[ask]!;

  return {
    partition,
    takenAt,
    types: types.names,
    typeNumber: types.typeNumber,
    typeInUse: types.inUse,
    totals,
    inFlight,
    nodes: { ...nodes, firstAllocation: onNode.first, byNode: onNode.members },
    elements: {
      count: elementCount,
      parent,
      firstChild: childGroups.first,
      children: childGroups.members,
      usage,
      demand,
      weight: Float64Array.from(elements.weight),
      limit: tableOf(limits, elementCount, width, -1),
      limitTolerance: tableOf(elements.limitTolerance.columns(types.finalNumber), elementCount, width, 0),
      limited,
      timeout: Float64Array.from(elements.timeout),
      tolerance: Float64Array.from(elements.tolerance),
      usageThreshold: elements.usageThreshold,
      belowSince: Float64Array.from(elements.belowSince),
      starvation: Uint8Array.from(elements.starvation),
      starvingSince: Float64Array.from(elements.starvingSince),
    },
    pools: { ...pools, guaranteed: tableOf(guaranteed, poolCount, width, -1) },
    operations: {
      ...operations,
      count: operationCount,
      pending,
      firstAllocation: ofOperation.first,
      byOperation: ofOperation.members,
    },
    asks,
    allocations,
  };
});

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
