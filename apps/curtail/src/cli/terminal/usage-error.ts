import { CommanderError } from 'commander';

/** A call that does not fit the command: commander has found what is wrong, and nothing was done. */
export class UsageError extends CommanderError {
  constructor(
    message: string,
    code: string,
    /** The next step. */
    readonly next: string,
  ) {
    super(2, code, message);
  }
}
