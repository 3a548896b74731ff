import { counted, InputError, shown } from '#contracts';
import { booleanAt } from '../fields.js';
import { groupsOf, numbersTo } from '../groups-of.js';
import { keptBySnapshot } from '../kept-by-snapshot.js';
import { sortByNumber } from '../order-by-number.js';
import { StableSort } from '../stable-sort.js';
import { type AllocationOrder, orderAllocations, orderByAge } from './allocations-read.js';
import { tableOf } from './amounts.js';
import { notListed } from './applications.js';
import { type AllocationColumns, type QueueColumns, type Snapshot, UNLISTED_ROOT } from './columns.js';
import { missingParent, parentPath } from './queues.js';
import { renumbered } from './renumbered.js';
import { sumUsage } from './usage.js';

/** Tables of amounts have a cell for every queue and type; more cells than this would be gigabytes. */
const MOST_CELLS = 20_000_000;

/**
 * The snapshot that the policies read that plan for queues: allocations stand in queues without children, and sums are made.
 *
 * A table of amounts by queue has one row a queue and one column a type: `table[queue * types.length + type]`.
 */
export interface QueueSnapshot extends Snapshot {
  /** The sum of all nodes, by type; null where no node names a capacity. Sums past 2^53 - 1 are rounded. */
  readonly capacity: Float64Array | null;
  readonly order: AllocationOrder;
  readonly queues: QueueTables;
  readonly allocations: AllocationsByQueue;
}

/** Allocations are numbered by queue, and in a queue the youngest first, as by `AllocationOrder.byAge`. */
export interface AllocationsByQueue extends AllocationColumns {
  /** Where each stood in the input, for the paths of errors and for `texts`. */
  readonly inputPlace: Int32Array;
}

export interface QueueTables extends QueueColumns {
  /** -1 = no limit. */
  readonly max: Float64Array;
  /** -1 = none. */
  readonly guaranteed: Float64Array;
  /** Of the queue and all below it, in every state. */
  readonly usage: Float64Array;
  /** The part of the usage that is releasing or preempting. */
  readonly inFlight: Float64Array;
  /** The allocations of queue q are those from `firstAllocation[q]` below `firstAllocation[q + 1]`. */
  readonly firstAllocation: Int32Array;
}

/** @throws InputError for a snapshot that cannot be planned by queues, with the path of the field. */
export const queueSnapshotOf: (snapshot: Snapshot) => QueueSnapshot = keptBySnapshot((snapshot) => {
  const { types, nodes, queues, allocations } = snapshot;
  refuseUnlistedRoot(snapshot);
  queues.dynamic.forEach((given, q) => {
    booleanAt(given, `queues[${queues.inputPlace[q]}].dynamic`, false);
  });
  for (let a = 0; a < allocations.count; a++) {
    const queue = allocations.queue[a]!;
    if (queues.end[queue] === queue + 1) continue;
    throw new InputError(
      `allocations[${a}].queue`,
      `${shown(queues.paths[queue])} has children; an allocation is in a leaf`,
    );
  }
  const { count } = queues;
  const width = types.length;
  if (count * width > MOST_CELLS) {
    throw new InputError(
      'queues',
      `${counted(count, 'queue')} with ${counted(width, 'resource type')} are too many; their product may be ${MOST_CELLS}`,
    );
  }
  const age = new Float64Array(allocations.count);
  const byAge = orderByAge(allocations.startedAt, allocations.ids, age);
  const { first, members: inputPlace } = groupsOf(numbersTo(allocations.count), allocations.queue, count);
  // Queue by queue: few of a queue started in the same moment, so that few ids are compared.
  const sorter = new StableSort();
  for (let q = 0; q < count; q++) sortByNumber(inputPlace, byAge, sorter, first[q]!, first[q + 1]!);
  const { usage, inFlight } = sumUsage(queues, allocations, types);
  const inQueues = renumbered(allocations, inputPlace);
  // Each field by name: a spread would give every snapshot a new shape, and the engine would compile its readers again.
  return {
    partition: snapshot.partition,
    takenAt: snapshot.takenAt,
    types,
    typeNumber: snapshot.typeNumber,
    typeInUse: snapshot.typeInUse,
    typesAtZero: snapshot.typesAtZero,
    budgets: snapshot.budgets,
    recentVictims: snapshot.recentVictims,
    nodes,
    applications: snapshot.applications,
    capacity: nodes.haveCapacity ? capacityOf(snapshot) : null,
    order: orderAllocations(inQueues, age),
    allocations: inQueues,
    queues: {
      count,
      paths: queues.paths,
      inputPlace: queues.inputPlace,
      properties: queues.properties,
      number: queues.number,
      parent: queues.parent,
      end: queues.end,
      dynamic: queues.dynamic,
      enforcing: queues.enforcing,
      limits: queues.limits,
      guarantees: queues.guarantees,
      max: tableOf(queues.limits, count, width, -1),
      guaranteed: tableOf(queues.guarantees, count, width, -1),
      usage,
      inFlight,
      firstAllocation: first,
    },
  };
});

function refuseUnlistedRoot({ queues, applications, allocations }: Snapshot): void {
  const { paths, parent, inputPlace } = queues;
  const orphans = [...inputPlace.keys()].filter((q) => parent[q] === -1 && parentPath(paths[q]!) !== null);
  const [first] = orphans.sort((a, b) => inputPlace[a]! - inputPlace[b]!);
  if (first !== undefined) throw missingParent(inputPlace[first]!, paths[first]!);
  for (const [list, { queue }] of Object.entries({ applications, allocations })) {
    const place = queue.indexOf(UNLISTED_ROOT);
    if (place >= 0) throw notListed('root', `${list}[${place}].queue`);
  }
}

function capacityOf({ types, nodes }: Snapshot): Float64Array {
  const { type, amount } = nodes.capacity;
  const sums = new Float64Array(types.length);
  for (let i = 0; i < type.length; i++) sums[type[i]!]! += amount[i]!;
  return sums;
}
