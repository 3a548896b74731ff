import { InputError, shown } from '#contracts';
import { arrayAt, type Fields, isAbsent, nameAt, notName, numberAt, objectAt } from '../fields.js';
import type { AllocationsBefore } from './allocations-before.js';
import { type AllocationsRead, firstRepeated, idHash, type Named } from './allocations-read.js';
import { amountError, isAmount, typePath } from './amounts.js';
import { notInstant, unlistedQueue } from './applications.js';
import { BY_MARK, DAEMON, ORIGINATOR, PLACEHOLDER, RUNNING, TASK } from './columns.js';
import { parseInstantInto } from './instant.js';
import { Sizes } from './sizes.js';
import type { TypeNames } from './type-names.js';

const ROLES = new Map<unknown, number>([
  ['task', TASK],
  ['originator', ORIGINATOR],
  ['daemon', DAEMON],
  ['placeholder', PLACEHOLDER],
]);
const STATES = new Map<unknown, number>([
  ['running', RUNNING],
  ['releasing', 1],
  ['preempting', 2],
]);

/**
 * Reads `allocations` of a snapshot. This is where reading spends its time, so paths are put together for errors only and
 * nothing but the columns is kept.
 *
 * @param before what of them it read before need not be read again.
 */
export function readAllocations(
  input: unknown,
  named: Named,
  types: TypeNames,
  before?: AllocationsBefore,
): AllocationsRead {
  const raw = arrayAt(input, 'allocations');
  const columns = emptyColumns(raw.length);
  const sizes = new Sizes();
  const copier = before?.copierInto(columns, sizes, types, named);
  let isCopied = copier !== undefined;
  try {
    // Where many are new in a row, more and more of them are read before the next one is looked for.
    for (let at = 0, stretch = 1; at < raw.length; ) {
      const from = copier ? copier.copy(raw, at) : at;
      stretch = from > at ? 1 : stretch * 2;
      at = copier ? Math.min(raw.length, from + stretch) : raw.length;
      if (from < at) isCopied = false;
      readInto(columns, sizes, raw, { from, to: at }, named, types);
    }
  } catch (error) {
    // The first fault of the input is reported: an id that is repeated comes before what ended reading.
    if (error instanceof InputError) refuseRepeated(columns);
    throw error;
  }
  // Each of them was one of those before, which were distinct.
  if (!isCopied) refuseRepeated(columns);
  const { count: sizeCount, firstEntry, entryType, entryAmount } = sizes;
  return Object.assign(columns, { sizeCount, firstEntry, entryType, entryAmount });
}

function readInto(
  columns: AllocationsRead,
  sizes: Sizes,
  raw: readonly unknown[],
  { from, to }: { from: number; to: number },
  named: Named,
  types: TypeNames,
): void {
  const { applicationIds, priorities } = named;
  // In variables: the engine reads fields of an object again after each call.
  const { ids, idHashes, optedOut } = columns;
  const { uids, nodes, startedAt: startedAtTexts } = columns.texts;
  const { application: applicationOf, queue: queueOf, priority: priorityOf, startedAt: startOf } = columns;
  const { role: roleOf, state: stateOf, protected: protectedOf, size: sizeOf, namesZero } = columns;
  // Those of one application mostly follow each other: to compare texts costs a fraction of looking them up.
  let applicationId: unknown;
  let application: number | undefined;
  let queuePath: unknown;
  let queue: number | undefined;

  for (let i = from; i < to; i++) {
    const allocation = raw[i] as Fields;
    if (typeof allocation !== 'object' || allocation === null) objectAt(allocation, pathOf(i));

    // Going through the few fields that an allocation has is faster than reading every known field: where allocations have different
    // fields, the engine looks each one up. The checks below have one order, whatever the order of the fields.
    let id: unknown;
    let ofApplication: unknown;
    let ofQueue: unknown;
    let node: unknown;
    let uid: unknown;
    let priority: unknown;
    let startedAt: unknown;
    let role: unknown;
    let state: unknown;
    let allowPreemption: unknown;
    let isProtected: unknown;
    let resources: unknown;
    for (const field in allocation) {
      const value = allocation[field];
      if (field === 'id') id = value;
      else if (field === 'uid') uid = value;
      else if (field === 'application') ofApplication = value;
      else if (field === 'queue') ofQueue = value;
      else if (field === 'node') node = value;
      else if (field === 'resources') resources = value;
      else if (field === 'startedAt') startedAt = value;
      else if (field === 'priority') priority = value;
      else if (field === 'role') role = value;
      else if (field === 'state') state = value;
      else if (field === 'allowPreemption') allowPreemption = value;
      else if (field === 'protected') isProtected = value;
      else if (value === undefined) continue;
      else if (field === 'lastJobStartedAt') columns.lastJobStartedAt[i] = value;
      else if (field === 'interruptible') columns.interruptible[i] = value;
      else if (field === 'budgets') columns.budgets[i] = value;
      else if (field === 'checkpointedAt') columns.checkpointedAt[i] = value;
    }

    if (typeof id !== 'string' || id === '') throw notName(id, pathOf(i, '.id'));
    ids[i] = id;
    idHashes[i] = idHash(id);

    if (application === undefined || ofApplication !== applicationId) {
      applicationId = ofApplication;
      // Where both lists have one order, it is the next one: looking it up would cost several times as much.
      const next = application === undefined ? 0 : application + 1;
      const isNext = next < applicationIds.length && applicationIds[next] === applicationId;
      application = isNext ? next : named.applications.get(applicationId as string);
      if (application === undefined) throw applicationError(applicationId, i);
    }
    applicationOf[i] = application;

    if (queue === undefined || ofQueue !== queuePath) {
      queuePath = ofQueue;
      queue = named.queues.get(queuePath as string) ?? otherQueue(queuePath, i);
    }
    queueOf[i] = queue;

    nodes[i] = optionalText(node, i, 'node');
    uids[i] = optionalText(uid, i, 'uid');

    priorityOf[i] = isAbsent(priority)
      ? priorities[application]!
      : Number.isFinite(priority)
        ? (priority as number)
        : numberAt(priority, pathOf(i, '.priority'));

    if (typeof startedAt !== 'string' || !parseInstantInto(startOf, i, startedAt))
      throw fieldError(i, 'startedAt', notInstant(startedAt));
    startedAtTexts[i] = startedAt;

    roleOf[i] = isAbsent(role) ? TASK : choice(ROLES, role, i, 'role');
    stateOf[i] = isAbsent(state) ? RUNNING : choice(STATES, state, i, 'state');

    if (!isAbsent(allowPreemption) && typeof allowPreemption !== 'boolean') {
      throw fieldError(i, 'allowPreemption', `must be true or false, found ${shown(allowPreemption)}`);
    }
    optedOut[i] = allowPreemption === false ? 1 : 0;
    if (!isAbsent(isProtected) && typeof isProtected !== 'boolean') {
      throw fieldError(i, 'protected', `must be true or false, found ${shown(isProtected)}`);
    }
    protectedOf[i] = isProtected === true ? BY_MARK : 0;

    if (typeof resources !== 'object' || resources === null || Array.isArray(resources)) {
      objectAt(resources, pathOf(i, '.resources'));
    }
    for (const type in resources as Fields) {
      const amount = (resources as Fields)[type];
      if (!isAmount(amount)) throw amountError(typePath(pathOf(i, '.resources'), type), amount);
      if (amount > 0) sizes.add(types.metInUse(type), amount);
      else {
        types.metAtZero(type);
        namesZero[i] = 1;
      }
    }
    sizeOf[i] = sizes.close();
  }
}

/** @param ids those that were read; the rest of the list is empty. */
function refuseRepeated({ ids, idHashes }: Pick<AllocationsRead, 'ids' | 'idHashes'>): void {
  let count = 0;
  while (count < ids.length && ids[count] !== undefined) count++;
  const place = firstRepeated(ids, idHashes.subarray(0, count));
  if (place < 0) return;
  throw fieldError(place, 'id', `the id ${shown(ids[place])} is there twice; list each allocation once`);
}

function emptyColumns(count: number): AllocationsRead {
  return {
    count,
    ids: new Array<string>(count),
    idHashes: new Int32Array(count),
    texts: {
      uids: new Array<string | undefined>(count),
      nodes: new Array<string | undefined>(count),
      startedAt: new Array<string>(count),
    },
    application: new Int32Array(count),
    queue: new Int32Array(count),
    priority: new Float64Array(count),
    startedAt: new Float64Array(count),
    role: new Uint8Array(count),
    optedOut: new Uint8Array(count),
    protected: new Uint8Array(count),
    state: new Uint8Array(count),
    namesZero: new Uint8Array(count),
    lastJobStartedAt: [],
    interruptible: [],
    budgets: [],
    checkpointedAt: [],
    size: new Int32Array(count),
    sizeCount: 0,
    firstEntry: new Int32Array(0),
    entryType: new Int32Array(0),
    entryAmount: new Float64Array(0),
  };
}

function optionalText(value: unknown, i: number, field: string): string | undefined {
  if (typeof value === 'string') return value;
  if (isAbsent(value)) return undefined;
  throw fieldError(i, field, `must be a string, found ${shown(value)}`);
}

function choice(known: ReadonlyMap<unknown, number>, value: unknown, i: number, field: string): number {
  const number = known.get(value);
  if (number !== undefined) return number;
  throw fieldError(i, field, `must be one of ${[...known.keys()].join(', ')}, found ${shown(value)}`);
}

/** Always called, never written out in `readInto`: the engine would make the text of `i` for every allocation, in case one has a fault. */
const pathOf = (i: number, field = ''): string => `allocations[${i}]${field}`;

function fieldError(i: number, field: string, message: string): InputError {
  return new InputError(pathOf(i, `.${field}`), message);
}

function applicationError(value: unknown, i: number): InputError {
  nameAt(value, pathOf(i, '.application'));
  return fieldError(
    i,
    'application',
    `the application ${shown(value)} is not among the applications of the snapshot`,
  );
}

function otherQueue(value: unknown, i: number): number {
  const path = pathOf(i, '.queue');
  return unlistedQueue(nameAt(value, path), path);
}
