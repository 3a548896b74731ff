import { isWithin } from '#contracts';
import { type AccessRight, builtInRoles } from './rights.js';

/** Rights at a place. What is left out covers all. */
export interface Grant {
  rights: ReadonlySet<AccessRight>;
  /** In lower case, as the path of the queue. */
  partition?: string | undefined;
  /** With everything below it. */
  queue?: string | undefined;
}

/** What a request is about. Without a queue: the whole partition; without a partition: all of Curtail. */
export interface PlaceOfRight {
  partition?: string | undefined;
  queue?: string | undefined;
}

export const everything: readonly Grant[] = [{ rights: new Set(builtInRoles.admin) }];

/** Whether one of the grants has one of the rights at the whole place. */
export function may(grants: readonly Grant[], wanted: readonly AccessRight[], place: PlaceOfRight): boolean {
  return granting(grants, wanted).some((grant) => covers(grant, place));
}

/** Whether one of the grants has one of the rights, wherever. */
export const mayAnywhere = (grants: readonly Grant[], wanted: readonly AccessRight[]): boolean =>
  granting(grants, wanted).length > 0;

/** Whether one of the grants has one of the rights somewhere in a partition. */
export const mayWithin = (
  grants: readonly Grant[],
  wanted: readonly AccessRight[],
  partition: string,
): boolean =>
  granting(grants, wanted).some((grant) => grant.partition === undefined || grant.partition === partition);

/**
 * The queues of a partition to which grants limit rights, each with what is below it. Undefined: they are not limited there; empty: there
 * are none.
 */
export function limitsOf(
  grants: readonly Grant[],
  wanted: readonly AccessRight[],
  partition: string,
): string[] | undefined {
  const there = granting(grants, wanted).filter((grant) => mayWithin([grant], wanted, partition));
  if (there.some(({ queue }) => queue === undefined)) return undefined;
  const queues = [...new Set(there.map(({ queue }) => queue!))];
  return queues.filter((queue) => !queues.some((other) => other !== queue && isWithin(queue, other)));
}

/** The partitions that grants of rights name; undefined: all. */
export function partitionsOf(grants: readonly Grant[], wanted: readonly AccessRight[]): string[] | undefined {
  const there = granting(grants, wanted).map(({ partition }) => partition);
  return there.includes(undefined) ? undefined : [...new Set(there as string[])];
}

const granting = (grants: readonly Grant[], wanted: readonly AccessRight[]): Grant[] =>
  grants.filter(({ rights }) => wanted.some((right) => rights.has(right)));

function covers(grant: Grant, place: PlaceOfRight): boolean {
  if (grant.partition !== undefined && grant.partition !== place.partition) return false;
  if (grant.queue === undefined) return true;
  return place.queue !== undefined && isWithin(place.queue, grant.queue);
}
