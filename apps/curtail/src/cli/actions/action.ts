import type { Invocation } from '../invocation.js';
import type { ExitStatus } from '../terminal.js';

/** What a command does: `run` gets the invocation, then arguments and options as commander hands them over. */
export interface Action {
  run(invocation: Invocation, ...received: never[]): Promise<ExitStatus>;
}
