import { isWithin } from './queue-path.js';

/**
 * Whether a hold of a place covers a queue: a partition (null) covers all its queues, and a queue itself and everything below it.
 * `COVERS` says the same in SQL.
 */
export const covers = (place: string | null, queue: string): boolean =>
  place === null || isWithin(queue, place);

/** The same in SQL, where an empty place is the partition. @param place, queue SQL that is never null. */
export const COVERS = (place: string, queue: string): string =>
  `(${place} IN ('', ${queue}) OR starts_with(${queue}, ${place} || '.'))`;
