import { InputError } from '#contracts';
import { groupsOf, numbersTo } from '../../groups-of.js';
import { keptBySnapshot } from '../../kept-by-snapshot.js';
import { tableOf } from '../../snapshot/amounts.js';
import { notInstant } from '../../snapshot/applications.js';
import type { Snapshot } from '../../snapshot/columns.js';
import type { ElementColumns, FairShareNodeColumns, FairShareSnapshot, OperationColumns } from './columns.js';
import { type Parts, readParts } from './parts.js';
import { type UsageAndDemand, usageAndDemand } from './usage-and-demand.js';

/**
 * The part of a snapshot that fair shares need: the whole tree, and allocations by age.
 *
 * @throws InputError with the path of the first field that is wrong (docs/reference/policies/fair-share.md, "Bad input").
 */
export const fairShareSnapshotOf: (snapshot: Snapshot) => FairShareSnapshot = keptBySnapshot((snapshot) => {
  const { partition, takenAt } = snapshot;
  if (Number.isNaN(takenAt)) throw new InputError('takenAt', notInstant(undefined));
  const parts = readParts(snapshot);
  const sums = usageAndDemand(parts);
  const { types, width, pools, asks, allocations } = parts;
  const guaranteed = pools.guaranteed.columns(types.finalNumber);
  return {
    partition,
    takenAt,
    types: types.names,
    typeNumber: types.typeNumber,
    typeInUse: types.inUse,
    totals: sums.totals,
    inFlight: sums.inFlight,
    nodes: nodeColumns(parts),
    elements: elementColumns(parts, sums),
    pools: { ...pools, guaranteed: tableOf(guaranteed, pools.count, width, -1) },
    operations: operationColumns(parts),
    asks,
    allocations,
  };
});

function nodeColumns({ nodes, allocations }: Parts): FairShareNodeColumns {
  const newestFirst = numbersTo(allocations.count).reverse();
  const onNode = groupsOf(newestFirst, ofRunning(allocations, allocations.node), nodes.ids.length);
  return { ...nodes, firstAllocation: onNode.first, byNode: onNode.members };
}

function elementColumns(
  { types, width, elementCount, parent, elements, pools }: Parts,
  { usage, demand }: UsageAndDemand,
): ElementColumns {
  const limits = elements.limit.columns(types.finalNumber);
  const limited = new Uint8Array(elementCount);
  for (const element of limits.thing) limited[element] = 1;
  const tolerances = elements.limitTolerance.columns(types.finalNumber);
  const childGroups = groupsOf(numbersTo(elementCount), parent, pools.count);
  return {
    count: elementCount,
    parent,
    firstChild: childGroups.first,
    children: childGroups.members,
    usage,
    demand,
    weight: Float64Array.from(elements.weight),
    limit: tableOf(limits, elementCount, width, -1),
    limitTolerance: tableOf(tolerances, elementCount, width, 0),
    limited,
    timeout: Float64Array.from(elements.timeout),
    tolerance: Float64Array.from(elements.tolerance),
    usageThreshold: elements.usageThreshold,
    belowSince: Float64Array.from(elements.belowSince),
    starvation: Uint8Array.from(elements.starvation),
    starvingSince: Float64Array.from(elements.starvingSince),
  };
}

function operationColumns({ operationCount, operations, asks, allocations }: Parts): OperationColumns {
  const oldestFirst = numbersTo(allocations.count);
  const ofOperation = groupsOf(oldestFirst, ofRunning(allocations, allocations.operation), operationCount);
  const pending = new Float64Array(operationCount);
  for (let ask = 0; ask < asks.count; ask++) pending[asks.operation[ask]!]! += asks.waiting[ask]!;
  return {
    ...operations,
    count: operationCount,
    pending,
    firstAllocation: ofOperation.first,
    byOperation: ofOperation.members,
  };
}

/** The group of each allocation; -1, which is none, of those that do not run. */
const ofRunning = ({ running }: Parts['allocations'], groupOf: Int32Array): Int32Array =>
  groupOf.map((group, a) => (running[a] === 1 ? group : -1));
