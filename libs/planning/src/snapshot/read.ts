import { counted, InputError, shown } from '@curtail/contracts';
import { isAbsent, nameAt, objectAt } from '../fields.js';
import { readAllocations } from './allocations.js';
import { notInstant, readApplications } from './applications.js';
import type { Snapshot } from './columns.js';
import { groupByQueue, numberEntries } from './entries.js';
import { parseInstant } from './instant.js';
import { readNodes } from './nodes.js';
import { type QueuesRead, readQueues } from './queues.js';
import { TypeNames } from './type-names.js';
import { sumUsage } from './usage.js';

/** Tables of amounts have a cell for every queue and type; more cells than this would be gigabytes. */
const MOST_CELLS = 20_000_000;

/**
 * Checks a ClusterSnapshot of the contract (docs/reference/snapshot.md) and indexes it into columns for `plan`.
 *
 * @param input parsed JSON; unknown fields are ignored; it is not changed, and nothing of it is kept but the `properties` of
 *   queues and applications.
 * @throws InputError with the path of the first field that is wrong (docs/reference/policies/quota-decrease.md §12).
 */
export function readSnapshot(input: unknown): Snapshot {
  const snapshot = objectAt(input, 'snapshot');
  constant(snapshot.apiVersion, 'apiVersion', 'curtail/v1');
  constant(snapshot.kind, 'kind', 'ClusterSnapshot');
  const takenAt = typeof snapshot.takenAt === 'string' ? parseInstant(snapshot.takenAt) : Number.NaN;
  if (!isAbsent(snapshot.takenAt) && Number.isNaN(takenAt)) {
    throw new InputError('takenAt', notInstant(snapshot.takenAt));
  }
  const partition = isAbsent(snapshot.partition) ? 'default' : nameAt(snapshot.partition, 'partition');

  const met = new TypeNames();
  const capacity = readNodes(snapshot.nodes, met);
  const queues = readQueues(snapshot.queues, met);
  const applications = readApplications(snapshot.applications, queues.number, met);
  const allocations = readAllocations(snapshot.allocations, queues, applications, met);
  if (queues.paths.length * met.count > MOST_CELLS) {
    throw new InputError(
      'queues',
      `${counted(queues.paths.length, 'queue')} with ${counted(met.count, 'resource type')} are too many; their product may be ${MOST_CELLS}`,
    );
  }

  const types = met.finish();
  numberEntries(allocations, types.finalNumber);
  const { firstAllocation, byQueue } = groupByQueue(allocations.queue, queues.paths.length);
  return {
    partition,
    takenAt,
    types: types.names,
    typeNumber: types.typeNumber,
    typeInUse: types.inUse,
    capacity: capacity && byFinalNumber(capacity, types.finalNumber),
    queues: {
      count: queues.paths.length,
      paths: queues.paths,
      inputPlace: queues.inputPlace,
      properties: queues.properties,
      number: queues.number,
      parent: queues.parent,
      end: queues.end,
      dynamic: queues.dynamic,
      enforcing: queues.enforcing,
      max: limitTable(queues, 'max', types.finalNumber),
      guaranteed: limitTable(queues, 'guaranteed', types.finalNumber),
      ...sumUsage(queues, allocations, types.names),
      firstAllocation,
    },
    applications: {
      count: applications.ids.length,
      ids: applications.ids,
      users: applications.users,
      queue: applications.queue,
      priority: applications.priority,
      submittedAt: applications.submittedAt,
      properties: applications.properties,
      pending: {
        ...applications.pending,
        entryType: applications.pending.entryType.map((type) => types.finalNumber[type]!),
      },
    },
    allocations: { ...allocations, byQueue },
  };
}

function constant(value: unknown, path: string, expected: string): void {
  if (isAbsent(value) || value === expected) return;
  throw new InputError(path, `must be ${shown(expected)}, found ${shown(value)}`);
}

function byFinalNumber(amounts: readonly number[], finalNumber: Int32Array): Float64Array {
  const table = new Float64Array(finalNumber.length);
  amounts.forEach((amount, preliminary) => {
    table[finalNumber[preliminary]!] = amount;
  });
  return table;
}

function limitTable(queues: QueuesRead, field: 'max' | 'guaranteed', finalNumber: Int32Array): Float64Array {
  const width = finalNumber.length;
  const table = new Float64Array(queues.paths.length * width).fill(-1);
  for (const limit of queues[field]) table[limit.queue * width + finalNumber[limit.type]!] = limit.amount;
  return table;
}
