import { InputError } from '@curtail/contracts';

const MOST_LISTED = 10_000;

/** @throws InputError unless `limit` is between 1 and 10,000 rows. */
export function checkListLimit(limit: number): void {
  if (Number.isInteger(limit) && limit >= 1 && limit <= MOST_LISTED) return;
  throw new InputError(
    'limit',
    `A limit of ${limit} is not possible: give a whole number from 1 to ${MOST_LISTED}.`,
  );
}
