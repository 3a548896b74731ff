import { InputError, shown } from '#contracts';
import { isAbsent, nameAt, objectAt } from '../fields.js';
import { readAllocations } from './allocations.js';
import type { AllocationsBefore } from './allocations-before.js';
import type { AllocationsRead } from './allocations-read.js';
import { notInstant, readApplications } from './applications.js';
import type { Snapshot } from './columns.js';
import { parseInstant } from './instant.js';
import { readSnapshotNodes } from './nodes.js';
import { protectByQueue } from './protection.js';
import { readQueues } from './queues.js';
import { TypeNames } from './type-names.js';

/**
 * Checks a ClusterSnapshot of the contract (docs/reference/snapshot.md) and indexes it into columns for `plan`. Data that only one
 * policy asks of a snapshot is checked when that policy plans.
 *
 * @param input parsed JSON; unknown fields are ignored; it is not changed, and nothing of it is kept but fields that only
 *   policies read, such as `properties`, and by `before`.
 * @param before holds the allocations of an earlier snapshot, and afterwards those of this one. The result is the same without it.
 * @throws InputError with the path of the first field that is wrong (docs/reference/policies/quota-decrease.md §12).
 */
export function readSnapshot(input: unknown, before?: AllocationsBefore): Snapshot {
  const snapshot = objectAt(input, 'snapshot');
  constant(snapshot.apiVersion, 'apiVersion', 'curtail/v1');
  constant(snapshot.kind, 'kind', 'ClusterSnapshot');
  const takenAt = typeof snapshot.takenAt === 'string' ? parseInstant(snapshot.takenAt) : Number.NaN;
  if (!isAbsent(snapshot.takenAt) && Number.isNaN(takenAt)) {
    throw new InputError('takenAt', notInstant(snapshot.takenAt));
  }
  const partition = isAbsent(snapshot.partition) ? 'default' : nameAt(snapshot.partition, 'partition');

  const met = new TypeNames();
  const nodes = readSnapshotNodes(snapshot.nodes, met);
  const { queues, amounts } = readQueues(snapshot.queues, met);
  const { applications, number } = readApplications(snapshot.applications, queues.number, met);
  const { ids: applicationIds, priority: priorities } = applications;
  const named = { queues: queues.number, applications: number, applicationIds, priorities };
  const allocations = readAllocations(snapshot.allocations, named, met, before);
  before?.keep(snapshot.allocations as unknown[], allocations, met, applications, queues.paths);
  protectByQueue(queues, applications, allocations);

  const { names, typeNumber, inUse, finalNumber } = met.finish();
  numberEntries(allocations, finalNumber);
  const { entryType } = applications.pending;
  for (let e = 0; e < entryType.length; e++) entryType[e] = finalNumber[entryType[e]!]!;
  return {
    partition,
    takenAt,
    types: names,
    typeNumber,
    typeInUse: inUse,
    typesAtZero: [...met.atZero],
    budgets: snapshot.budgets,
    recentVictims: snapshot.recentVictims,
    nodes: {
      count: nodes.ids.length,
      ids: nodes.ids,
      capacity: nodes.capacity.columns(finalNumber),
      haveCapacity: nodes.haveCapacity,
      labels: nodes.labels,
      schedulable: nodes.schedulable,
      properties: nodes.properties,
    },
    queues: Object.assign(queues, {
      limits: amounts.max.columns(finalNumber),
      guarantees: amounts.guaranteed.columns(finalNumber),
    }),
    applications,
    allocations,
  };
}

function constant(value: unknown, path: string, expected: string): void {
  if (isAbsent(value) || value === expected) return;
  throw new InputError(path, `must be ${shown(expected)}, found ${shown(value)}`);
}

/** Gives entries the final numbers of their types and puts those of one size in the order of the types. */
function numberEntries(allocations: AllocationsRead, finalNumber: Int32Array): void {
  const { sizeCount, firstEntry, entryType, entryAmount } = allocations;
  for (let size = 0; size < sizeCount; size++) {
    const first = firstEntry[size]!;
    const end = firstEntry[size + 1]!;
    for (let e = first; e < end; e++) {
      const type = finalNumber[entryType[e]!]!;
      const amount = entryAmount[e]!;
      let place = e;
      for (; place > first && entryType[place - 1]! > type; place--) {
        entryType[place] = entryType[place - 1]!;
        entryAmount[place] = entryAmount[place - 1]!;
      }
      entryType[place] = type;
      entryAmount[place] = amount;
    }
  }
}
