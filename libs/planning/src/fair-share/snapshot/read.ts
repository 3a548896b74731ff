import { counted, InputError, shown } from '@curtail/contracts';
import { isAbsent, nameAt, objectAt } from '../../fields.js';
import { TypeNames } from '../../snapshot/type-names.js';
import { orderByAge } from './age-order.js';
import { type AllocationsRead, readAllocations } from './allocations.js';
import { AsksRead } from './asks.js';
import type { AllocationColumns, FairShareSnapshot } from './columns.js';
import { ElementProperties } from './element-properties.js';
import { groupsOf } from './groups-of.js';
import { readNodes } from './nodes.js';
import { readOperations } from './operations.js';
import { readPools } from './pools.js';
import { addPending, columnSums, sumUp } from './sums.js';
import { instantAt } from './values.js';

/** Tables of amounts have a cell for every thing and type; more cells than this would be gigabytes. */
const MOST_CELLS = 40_000_000;

/**
 * Checks a ClusterSnapshot of the contract (docs/reference/snapshot.md) by the rules of the policy `fair-share` and indexes it
 * into columns.
 *
 * @param input parsed JSON; unknown fields are ignored; it is not kept, and not changed.
 * @throws InputError with the path of the first field that is wrong (docs/reference/policies/fair-share.md, "Bad input").
 */
export function readFairShareSnapshot(input: unknown): FairShareSnapshot {
  const snapshot = objectAt(input, 'snapshot');
  constant(snapshot.apiVersion, 'apiVersion', 'curtail/v1');
  constant(snapshot.kind, 'kind', 'ClusterSnapshot');
  const takenAt = instantAt(snapshot.takenAt, 'takenAt');
  const partition = isAbsent(snapshot.partition) ? 'default' : nameAt(snapshot.partition, 'partition');

  const met = new TypeNames();
  const elements = new ElementProperties(met, takenAt);
  const askList = new AsksRead(met);
  const nodes = readNodes(snapshot.nodes, met, takenAt);
  const pools = readPools(snapshot.queues, met, elements);
  const operations = readOperations(snapshot.applications, pools.number, elements, askList);
  const read = readAllocations(snapshot.allocations, operations, pools.paths, nodes, met);
  refuseTooMany('nodes', nodes.ids.length, met.count);
  refuseTooMany('applications', elements.weight.length + askList.labels.length, met.count);
  refuseTooMany('allocations', read.count, met.count);

  const types = met.finish();
  const width = types.names.length;
  const asks = askList.columns(types.finalNumber);
  const order = orderByAge(read.startedAt, read.ids);
  const allocations = byAge(read, order, types.finalNumber);
  const capacity = nodes.capacity.table(nodes.ids.length, types.finalNumber, -1);
  const sumOf = (what: string, running: 0 | 1): Float64Array =>
    columnSums(
      allocations.size,
      types.names,
      what,
      (a) => allocations.running[a] === running,
      (a) => `allocations[${order[a]}].resources`,
    );
  const totals = columnSums(
    capacity,
    types.names,
    'the sum of all capacities',
    () => true,
    (node) => `nodes[${nodes.places[node]}].capacity`,
  );
  const inFlight = sumOf('what is in flight', 0);
  const usageOfAll = sumOf('the usage', 1);

  const poolCount = pools.paths.length;
  const operationCount = operations.ids.length;
  const elementCount = poolCount + operationCount;
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
    nodes: {
      count: nodes.ids.length,
      ids: nodes.ids,
      capacity,
      labels: nodes.labels,
      schedulable: nodes.schedulable,
      overcommittedSince: nodes.overcommittedSince,
      lastPreemptiveSchedulingAt: nodes.lastPreemptiveSchedulingAt,
      firstAllocation: onNode.first,
      byNode: onNode.members,
    },
    elements: {
      count: elementCount,
      parent,
      firstChild: childGroups.first,
      children: childGroups.members,
      usage,
      demand,
      weight: Float64Array.from(elements.weight),
      limit: elements.limit.table(elementCount, types.finalNumber, -1),
      limitTolerance: elements.limitTolerance.table(elementCount, types.finalNumber, 0),
      limited: Uint8Array.from(elements.limited),
      timeout: Float64Array.from(elements.timeout),
      tolerance: Float64Array.from(elements.tolerance),
      usageThreshold: elements.usageThreshold,
      belowSince: Float64Array.from(elements.belowSince),
      starvation: Uint8Array.from(elements.starvation),
      starvingSince: Float64Array.from(elements.starvingSince),
    },
    pools: {
      count: poolCount,
      paths: pools.paths,
      number: pools.number,
      enforcing: pools.enforcing,
      fifo: pools.fifo,
      fifoParameters: pools.fifoParameters,
      guaranteed: pools.guaranteed.table(poolCount, types.finalNumber, -1),
      enableAggressive: pools.enableAggressive,
      allowAggressive: pools.allowAggressive,
      allowNormal: pools.allowNormal,
    },
    operations: {
      count: operationCount,
      ids: operations.ids,
      users: operations.users,
      submittedAt: operations.submittedAt,
      suspended: operations.suspended,
      gang: operations.gang,
      graceful: operations.graceful,
      filter: operations.filter,
      preemptionTimeout: operations.preemptionTimeout,
      pending,
      firstAsk: operations.firstAsk,
      firstAllocation: ofOperation.first,
      byOperation: ofOperation.members,
    },
    asks,
    allocations,
  };
}

function constant(value: unknown, path: string, expected: string): void {
  if (isAbsent(value) || value === expected) return;
  throw new InputError(path, `must be ${shown(expected)}, found ${shown(value)}`);
}

function refuseTooMany(path: string, things: number, types: number): void {
  if (things * types <= MOST_CELLS) return;
  throw new InputError(
    path,
    `${things} with ${counted(types, 'resource type')} are too many; their product may be ${MOST_CELLS}`,
  );
}

function numbersTo(count: number): Int32Array {
  const numbers = new Int32Array(count);
  for (let i = 0; i < count; i++) numbers[i] = i;
  return numbers;
}

/** The columns of the allocations in the order of their age. */
function byAge(read: AllocationsRead, order: Int32Array, finalNumber: Int32Array): AllocationColumns {
  const { count } = read;
  const width = finalNumber.length;
  const size = new Float64Array(count * width);
  order.forEach((place, a) => {
    for (let e = read.firstEntry[place]!; e < read.firstEntry[place + 1]!; e++) {
      size[a * width + finalNumber[read.entryType[e]!]!] = read.entryAmount[e]!;
    }
  });
  const moved = <C extends Int32Array | Float64Array | Uint8Array>(column: C): C => {
    const other = column.slice() as C;
    for (let a = 0; a < count; a++) other[a] = column[order[a]!]!;
    return other;
  };
  return {
    count,
    ids: Array.from(order, (place) => read.ids[place]!),
    uids: Array.from(order, (place) => read.uids[place]),
    operation: moved(read.operation),
    node: moved(read.node),
    size,
    startedAt: moved(read.startedAt),
    priority: moved(read.priority),
    running: moved(read.running),
    daemon: moved(read.daemon),
    protected: moved(read.protected),
    hinted: moved(read.hinted),
    interruptible: moved(read.interruptible),
  };
}
