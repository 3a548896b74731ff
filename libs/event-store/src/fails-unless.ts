import { QueryFailedError } from 'typeorm';

/**
 * An SQL expression with which a statement fails unless the condition holds, so that a commit may be sent along with it
 * (`commitWithThese`): it divides by zero.
 */
export const failsUnless = (condition: string): string => `1 / (${condition})::int`;

/** Whether a statement with `failsUnless` failed because its condition did not hold. */
export const isUnmet = (error: unknown): boolean =>
  error instanceof QueryFailedError && error.driverError.code === divisionByZero;

/** https://www.postgresql.org/docs/current/errcodes-appendix.html */
const divisionByZero = '22012';
