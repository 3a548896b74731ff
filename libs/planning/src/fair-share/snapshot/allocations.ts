import { InputError, shown } from '@curtail/contracts';
import { arrayAt, booleanAt, type Fields, isAbsent, nameAt, numberAt, objectAt } from '../../fields.js';
import { amountError, isAmount, typePath } from '../../snapshot/amounts.js';
import { notInstant } from '../../snapshot/applications.js';
import { parseInstant } from '../../snapshot/instant.js';
import type { TypeNames } from '../../snapshot/type-names.js';
import type { NodesRead } from './nodes.js';
import type { OperationsRead } from './operations.js';

const ROLES: ReadonlySet<unknown> = new Set(['task', 'originator', 'daemon', 'placeholder']);
const STATES: ReadonlySet<unknown> = new Set(['running', 'releasing', 'preempting']);

/** In the order of the input. */
export interface AllocationsRead {
  count: number;
  ids: string[];
  uids: (string | undefined)[];
  operation: Int32Array;
  node: Int32Array;
  startedAt: Float64Array;
  priority: Float64Array;
  running: Uint8Array;
  daemon: Uint8Array;
  protected: Uint8Array;
  hinted: Uint8Array;
  interruptible: Uint8Array;
  /** What allocation a uses are the entries from `firstEntry[a]` below `firstEntry[a + 1]`, in preliminary numbers of types. */
  firstEntry: Int32Array;
  entryType: number[];
  entryAmount: number[];
}

/**
 * Reads `allocations` of a snapshot. This is where reading spends its time, so paths are put together for errors only.
 */
export function readAllocations(
  input: unknown,
  operations: OperationsRead,
  poolPaths: readonly string[],
  nodes: NodesRead,
  types: TypeNames,
): AllocationsRead {
  const raw = arrayAt(input, 'allocations');
  const read = emptyColumns(raw.length);
  const seen = new Set<string>();
  for (let i = 0; i < raw.length; i++) {
    const allocation = raw[i] as Fields;
    if (typeof allocation !== 'object' || allocation === null) objectAt(allocation, `allocations[${i}]`);

    const id = allocation.id;
    if (typeof id !== 'string' || id === '') throw refused(i, 'id', id, 'a text that is not empty');
    seen.add(id);
    if (seen.size !== i + 1) {
      throw new InputError(
        `allocations[${i}].id`,
        `the id ${shown(id)} is there twice; list each allocation once`,
      );
    }
    read.ids[i] = id;

    const operation = operations.number.get(allocation.application as string);
    if (operation === undefined) throw unknownName(i, 'application', allocation.application, 'applications');
    read.operation[i] = operation;
    const path = poolPaths[operations.pool[operation]!]!;
    if (allocation.queue !== path) throw queueError(i, allocation.queue, path);

    read.node[i] = isAbsent(allocation.node) ? -1 : (nodes.number.get(allocation.node as string) ?? -2);
    if (read.node[i] === -2) throw unknownName(i, 'node', allocation.node, 'nodes');
    const uid = allocation.uid;
    if (!isAbsent(uid) && typeof uid !== 'string') throw refused(i, 'uid', uid, 'a text');
    read.uids[i] = uid ?? undefined;

    const priority = allocation.priority;
    read.priority[i] = isAbsent(priority)
      ? operations.priority[operation]!
      : numberAt(priority, `allocations[${i}].priority`);
    const startedAt = timeOf(i, 'startedAt', allocation.startedAt);
    const lastJobStartedAt = allocation.lastJobStartedAt;
    read.startedAt[i] = isAbsent(lastJobStartedAt)
      ? startedAt
      : timeOf(i, 'lastJobStartedAt', lastJobStartedAt);
    readKind(read, i, allocation);

    const resources = allocation.resources as Fields;
    if (typeof resources !== 'object' || resources === null || Array.isArray(resources)) {
      objectAt(resources, `allocations[${i}].resources`);
    }
    for (const type in resources) {
      const amount = resources[type];
      if (!isAmount(amount)) throw amountError(typePath(`allocations[${i}].resources`, type), amount);
      const number = types.metInUse(type);
      if (amount === 0) continue;
      read.entryType.push(number);
      read.entryAmount.push(amount);
    }
    read.firstEntry[i + 1] = read.entryType.length;
  }
  return read;
}

function emptyColumns(count: number): AllocationsRead {
  return {
    count,
    ids: new Array<string>(count),
    uids: new Array<string | undefined>(count),
    operation: new Int32Array(count),
    node: new Int32Array(count),
    startedAt: new Float64Array(count),
    priority: new Float64Array(count),
    running: new Uint8Array(count),
    daemon: new Uint8Array(count),
    protected: new Uint8Array(count),
    hinted: new Uint8Array(count),
    interruptible: new Uint8Array(count),
    firstEntry: new Int32Array(count + 1),
    entryType: [],
    entryAmount: [],
  };
}

function readKind(read: AllocationsRead, i: number, allocation: Fields): void {
  const role = allocation.role ?? 'task';
  if (!ROLES.has(role)) throw refused(i, 'role', role, `one of ${[...ROLES].join(', ')}`);
  const state = allocation.state ?? 'running';
  if (!STATES.has(state)) throw refused(i, 'state', state, `one of ${[...STATES].join(', ')}`);
  read.running[i] = state === 'running' ? 1 : 0;
  read.daemon[i] = role === 'daemon' ? 1 : 0;
  const { allowPreemption, interruptible } = allocation;
  read.protected[i] = booleanAt(allocation.protected, `allocations[${i}].protected`, false) ? 1 : 0;
  const allowed = booleanAt(allowPreemption, `allocations[${i}].allowPreemption`, true);
  read.hinted[i] = !allowed || role === 'originator' ? 1 : 0;
  read.interruptible[i] = booleanAt(interruptible, `allocations[${i}].interruptible`, true) ? 1 : 0;
}

function timeOf(i: number, field: string, value: unknown): number {
  const instant = typeof value === 'string' ? parseInstant(value) : Number.NaN;
  if (Number.isNaN(instant)) throw new InputError(`allocations[${i}].${field}`, notInstant(value));
  return instant;
}

function refused(i: number, field: string, value: unknown, what: string): InputError {
  return new InputError(`allocations[${i}].${field}`, `must be ${what}, found ${shown(value)}`);
}

function unknownName(i: number, field: string, value: unknown, list: string): InputError {
  const path = `allocations[${i}].${field}`;
  return new InputError(path, `${shown(nameAt(value, path))} is not among the ${list} of the snapshot`);
}

function queueError(i: number, value: unknown, path: string): InputError {
  const field = `allocations[${i}].queue`;
  return new InputError(
    field,
    `must be ${shown(path)}, the queue of its application, found ${shown(nameAt(value, field))}`,
  );
}
