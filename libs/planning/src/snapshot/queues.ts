import { InputError, shown } from '#contracts';
import { arrayAt, booleanAt, isAbsent, nameAt, objectAt } from '../fields.js';
import { AmountList } from './amount-list.js';
import { numberDepthFirst } from './queue-tree.js';
import type { TypeNames } from './type-names.js';

export interface QueuesRead {
  paths: string[];
  number: Map<string, number>;
  parent: Int32Array;
  end: Int32Array;
  dynamic: unknown[];
  enforcing: Uint8Array;
  inputPlace: Int32Array;
  properties: unknown[];
  max: AmountList;
  guaranteed: AmountList;
}

/** Reads `queues` of a snapshot: paths are distinct, and every parent but `root` is listed too. */
export function readQueues(input: unknown, types: TypeNames): QueuesRead {
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
  const read: QueuesRead = {
    ...tree,
    dynamic: new Array<unknown>(raw.length),
    enforcing: new Uint8Array(raw.length),
    inputPlace: new Int32Array(raw.length),
    properties: new Array<unknown>(raw.length),
    max: AmountList.of(types, false),
    guaranteed: AmountList.of(types, false),
  };
  raw.forEach((queue, i) => {
    const at = `queues[${i}]`;
    const number = tree.number.get(queue.path as string)!;
    read.inputPlace[number] = i;
    if (!isAbsent(queue.properties)) objectAt(queue.properties, `${at}.properties`);
    read.properties[number] = queue.properties;
    read.dynamic[number] = queue.dynamic;
    read.enforcing[number] = booleanAt(queue.enforcing, `${at}.enforcing`, false) ? 1 : 0;
    for (const field of ['max', 'guaranteed'] as const) {
      read[field].read(queue[field], `${at}.${field}`, number);
    }
  });
  return read;
}
