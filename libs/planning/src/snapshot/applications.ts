import { InputError, shown } from '#contracts';
import { arrayAt, type Fields, isAbsent, nameAt, notName, numberAt, objectAt } from '../fields.js';
import { amountError, isAmount, readAmounts } from './amounts.js';
import { UNLISTED_ROOT } from './columns.js';
import { parseInstant } from './instant.js';
import type { TypeNames } from './type-names.js';

export interface ApplicationsRead {
  count: number;
  ids: string[];
  users: (string | undefined)[];
  priority: number[];
  queue: Int32Array;
  submittedAt: number[];
  properties: unknown[];
  gangs: unknown[];
  pending: PendingRead;
}

/** `PendingColumns` with preliminary numbers of types. */
export interface PendingRead {
  first: number[];
  count: number[];
  firstEntry: number[];
  entryType: number[];
  entryAmount: number[];
  nodeSelector: unknown[];
}

/** Reads `applications` of a snapshot: ids are distinct, a queue that is named is listed. */
export function readApplications(
  input: unknown,
  queueNumber: ReadonlyMap<string, number>,
  types: TypeNames,
): { applications: ApplicationsRead; number: Map<string, number> } {
  const raw = arrayAt(input, 'applications');
  const pending: PendingRead = {
    first: [0],
    count: [],
    nodeSelector: [],
    firstEntry: [0],
    entryType: [],
    entryAmount: [],
  };
  const number = new Map<string, number>();
  const read: ApplicationsRead = {
    count: raw.length,
    ids: new Array<string>(raw.length),
    users: new Array<string | undefined>(raw.length),
    priority: new Array<number>(raw.length),
    queue: new Int32Array(raw.length).fill(-1),
    submittedAt: new Array<number>(raw.length),
    properties: new Array<unknown>(raw.length),
    gangs: [],
    pending,
  };
  // Paths are put together for errors only: there may be tens of thousands of applications.
  for (let i = 0; i < raw.length; i++) {
    const application = raw[i] as Fields;
    if (typeof application !== 'object' || application === null || Array.isArray(application)) {
      objectAt(application, pathOf(i));
    }
    const { id } = application;
    if (typeof id !== 'string' || id === '') throw notName(id, pathOf(i, '.id'));
    if (number.has(id)) {
      throw new InputError(
        pathOf(i, '.id'),
        `the id ${shown(id)} is there twice; list each application once`,
      );
    }
    number.set(id, i);
    if (!isAbsent(application.queue)) {
      const queue = queueNumber.get(application.queue as string);
      read.queue[i] =
        queue ?? unlistedQueue(nameAt(application.queue, pathOf(i, '.queue')), pathOf(i, '.queue'));
    }
    if (!isAbsent(application.user) && typeof application.user !== 'string') {
      throw new InputError(pathOf(i, '.user'), `must be a string, found ${shown(application.user)}`);
    }
    const submittedAt = application.submittedAt;
    const instant = typeof submittedAt === 'string' ? parseInstant(submittedAt) : Number.NaN;
    if (!isAbsent(submittedAt) && Number.isNaN(instant)) {
      throw new InputError(pathOf(i, '.submittedAt'), notInstant(submittedAt));
    }
    if (!isAbsent(application.pending))
      readPending(application.pending, pathOf(i, '.pending'), types, pending);
    pending.first.push(pending.count.length);
    read.ids[i] = id;
    read.users[i] = (application.user as string | null | undefined) ?? undefined;
    read.submittedAt[i] = instant;
    read.properties[i] = application.properties;
    if (application.gang !== undefined) read.gangs[i] = application.gang;
    const { priority } = application;
    if (Number.isFinite(priority)) read.priority[i] = priority as number;
    else read.priority[i] = isAbsent(priority) ? 0 : numberAt(priority, pathOf(i, '.priority'));
  }
  return { applications: read, number };
}

const pathOf = (i: number, field = ''): string => `applications[${i}]${field}`;

/** The number of a queue that is not listed. @throws InputError where it is not `root`. */
export function unlistedQueue(queue: string, path: string): number {
  if (queue === 'root') return UNLISTED_ROOT;
  throw notListed(queue, path);
}

export function notListed(queue: string, path: string): InputError {
  return new InputError(path, `the queue ${shown(queue)} is not among the queues of the snapshot`);
}

export function notInstant(value: unknown): string {
  return `must be an RFC 3339 time such as "2026-11-21T09:00:05.000Z", found ${shown(value)}`;
}

function readPending(input: unknown, path: string, types: TypeNames, read: PendingRead): void {
  arrayAt(input, path).forEach((value, i) => {
    const request = objectAt(value, `${path}[${i}]`);
    if (!isAbsent(request.count) && !isAmount(request.count)) {
      throw amountError(`${path}[${i}].count`, request.count);
    }
    if (!isAbsent(request.resources)) {
      readAmounts(request.resources, `${path}[${i}].resources`, (type, amount) => {
        read.entryType.push(types.metInUse(type));
        read.entryAmount.push(amount);
      });
    }
    read.nodeSelector.push(request.nodeSelector);
    read.count.push(isAbsent(request.count) ? 1 : (request.count as number));
    read.firstEntry.push(read.entryType.length);
  });
}
