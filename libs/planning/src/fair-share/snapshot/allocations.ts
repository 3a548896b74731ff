import { InputError, shown } from '#contracts';
import { booleanAt, isAbsent } from '../../fields.js';
import { numberOrder, orderByNumber } from '../../order-by-number.js';
import { DAEMON, ORIGINATOR, RUNNING, type Snapshot } from '../../snapshot/columns.js';
import type { FairShareAllocationColumns } from './columns.js';
import { instantAt } from './values.js';

export type AllocationsMade = FairShareAllocationColumns & {
  /** Place in the input by number. */
  readonly places: Int32Array;
};

/** The allocations by age, each in the pool of its operation. */
export function makeAllocations(
  snapshot: Snapshot,
  operationOf: Int32Array,
  nodes: ReadonlyMap<string, number>,
  finalNumber: Int32Array,
  width: number,
): AllocationsMade {
  const { allocations, applications, queues } = snapshot;
  const { count, role, optedOut, size, firstEntry, entryType, entryAmount } = allocations;
  allocations.queue.forEach((queue, a) => {
    const own = applications.queue[allocations.application[a]!]!;
    if (queue === own) return;
    const path = (number: number) => shown(queues.paths[number] ?? 'root');
    throw new InputError(
      `allocations[${a}].queue`,
      `must be ${path(own)}, the queue of its application, found ${path(queue)}`,
    );
  });
  const startedAt = allocations.startedAt.slice();
  allocations.lastJobStartedAt.forEach((given, a) => {
    if (!isAbsent(given)) startedAt[a] = instantAt(given, `allocations[${a}].lastJobStartedAt`);
  });
  const interruptible = new Uint8Array(count).fill(1);
  allocations.interruptible.forEach((given, a) => {
    if (!booleanAt(given, `allocations[${a}].interruptible`, true)) interruptible[a] = 0;
  });

  const places = orderByAge(startedAt, allocations.ids);
  const sizes = new Float64Array(count * width);
  places.forEach((place, a) => {
    for (let e = firstEntry[size[place]!]!, end = firstEntry[size[place]! + 1]!; e < end; e++) {
      sizes[a * width + finalNumber[entryType[e]!]!] = entryAmount[e]!;
    }
  });
  const flags = (holds: (place: number) => boolean) => {
    const column = new Uint8Array(count);
    for (let a = 0; a < count; a++) if (holds(places[a]!)) column[a] = 1;
    return column;
  };
  const moved = <C extends Int32Array | Float64Array | Uint8Array>(column: C): C => {
    const other = column.slice() as C;
    for (let a = 0; a < count; a++) other[a] = column[places[a]!]!;
    return other;
  };
  return {
    count,
    places,
    ids: Array.from(places, (place) => allocations.ids[place]!),
    uids: Array.from(places, (place) => allocations.texts.uids[place]),
    operation: places.map((place) => operationOf[allocations.application[place]!]!),
    node: moved(Int32Array.from(allocations.texts.nodes, (id, a) => nodeOf(id, a, nodes))),
    size: sizes,
    startedAt: moved(startedAt),
    priority: moved(allocations.priority),
    running: flags((place) => allocations.state[place] === RUNNING),
    daemon: flags((place) => role[place] === DAEMON),
    protected: moved(allocations.protected),
    optedOut: flags((place) => optedOut[place] === 1 || role[place] === ORIGINATOR),
    interruptible: moved(interruptible),
  };
}

function nodeOf(id: string | undefined, a: number, nodes: ReadonlyMap<string, number>): number {
  if (id === undefined) return -1;
  const node = nodes.get(id);
  if (node !== undefined) return node;
  throw new InputError(
    `allocations[${a}].node`,
    `the node ${shown(id)} is not among the nodes of the snapshot`,
  );
}

/**
 * The places of `startedAt` from the oldest to the newest; of those that started in the same moment the smaller id is older.
 */
function orderByAge(startedAt: Float64Array, ids: readonly string[]): Int32Array {
  let earliest = Number.POSITIVE_INFINITY;
  for (const instant of startedAt) if (instant < earliest) earliest = instant;
  const age = startedAt.map((instant) => instant - earliest);
  return orderByNumber(numberOrder(age, ids));
}
