import { InputError, shown } from '#contracts';
import { arrayAt, booleanAt, isAbsent, nameAt, objectAt } from '../fields.js';
import type { Writable } from '../writable.js';
import { AmountList } from './amounts.js';
import type { QueueColumns } from './columns.js';
import type { TypeNames } from './type-names.js';

/** Their amounts become columns once types have their final numbers. */
export type QueuesRead = Omit<Writable<QueueColumns>, 'limits' | 'guarantees'>;

interface QueueAmounts {
  max: AmountList;
  guaranteed: AmountList;
}

/** Reads `queues` of a snapshot: paths are distinct, and every parent but `root` is listed too. */
export function readQueues(input: unknown, types: TypeNames): { queues: QueuesRead; amounts: QueueAmounts } {
  const raw = arrayAt(input, 'queues').map((queue, i) => objectAt(queue, `queues[${i}]`));
  const inputPlace = new Map<string, number>();
  raw.forEach((queue, i) => {
    const path = nameAt(queue.path, `queues[${i}].path`);
    if (inputPlace.has(path)) {
      throw new InputError(
        `queues[${i}].path`,
        `the path ${shown(path)} is there twice; list each queue once`,
      );
    }
    inputPlace.set(path, i);
  });
  const tree = numberDepthFirst(inputPlace);
  const amounts = { max: AmountList.of(types, false), guaranteed: AmountList.of(types, false) };
  const queues: QueuesRead = {
    count: raw.length,
    ...tree,
    dynamic: new Array<unknown>(raw.length),
    enforcing: new Uint8Array(raw.length),
    inputPlace: new Int32Array(raw.length),
    properties: new Array<unknown>(raw.length),
  };
  raw.forEach((queue, i) => {
    const at = `queues[${i}]`;
    const number = tree.number.get(queue.path as string)!;
    queues.inputPlace[number] = i;
    if (!isAbsent(queue.properties)) objectAt(queue.properties, `${at}.properties`);
    queues.properties[number] = queue.properties;
    queues.dynamic[number] = queue.dynamic;
    queues.enforcing[number] = booleanAt(queue.enforcing, `${at}.enforcing`, false) ? 1 : 0;
    for (const field of ['max', 'guaranteed'] as const) {
      amounts[field].read(queue[field], `${at}.${field}`, number);
    }
  });
  return { queues, amounts };
}

export type NumberedQueues = Pick<QueuesRead, 'paths' | 'number' | 'parent' | 'end'>;

/**
 * Numbers queues depth first, siblings by name (see `QueueColumns`). `inputPlace`: path to place in the input. `root` need not be
 * listed; those below it are top queues then. Works without recursion, so that no depth of input is too deep.
 */
function numberDepthFirst(inputPlace: ReadonlyMap<string, number>): NumberedQueues {
  const children = new Map<string | null, string[]>();
  for (const [path, place] of inputPlace) {
    const above = parentPath(path);
    const isTop = above === null || (above === 'root' && !inputPlace.has('root'));
    if (!isTop && !inputPlace.has(above)) throw missingParent(place, path);
    const parent = isTop ? null : above;
    const siblings = children.get(parent);
    if (siblings === undefined) children.set(parent, [path]);
    else siblings.push(path);
  }

  const paths: string[] = [];
  const number = new Map<string, number>();
  const parent = new Int32Array(inputPlace.size).fill(-1);
  const end = new Int32Array(inputPlace.size);
  // The queues still to be visited, the next one last.
  const ahead = lastNameFirst(children.get(null));
  while (ahead.length > 0) {
    const path = ahead.pop()!;
    const self = paths.push(path) - 1;
    number.set(path, self);
    const above = parentPath(path);
    if (above !== null) parent[self] = number.get(above) ?? -1;
    for (const child of lastNameFirst(children.get(path))) ahead.push(child);
  }
  // From the last to the first: a queue ends where its last descendant ends.
  for (let q = paths.length - 1; q >= 0; q--) {
    if (end[q] === 0) end[q] = q + 1;
    const above = parent[q]!;
    if (above >= 0 && end[above]! < end[q]!) end[above] = end[q]!;
  }
  return { paths, number, parent, end };
}

/** @param place where the queue stood in the input. */
export function missingParent(place: number, path: string): InputError {
  return new InputError(
    `queues[${place}].path`,
    `the parent ${shown(parentPath(path))} of ${shown(path)} is missing; list the parents of every queue too`,
  );
}

export function parentPath(path: string): string | null {
  const dot = path.lastIndexOf('.');
  return dot < 0 ? null : path.slice(0, dot);
}

/** Siblings share what stands before their name, so their paths compare as their names do. */
function lastNameFirst(siblings: string[] | undefined): string[] {
  return (siblings ?? []).sort((a, b) => (a < b ? 1 : -1));
}
