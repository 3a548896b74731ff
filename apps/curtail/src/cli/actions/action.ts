import type { Invocation } from '../invocation/invocation.js';
import type { ExitStatus } from '../terminal/terminal.js';

/** The action of a command: `run` gets the invocation, then arguments and options as commander passes them. */
export interface Action {
  run(invocation: Invocation, ...received: never[]): Promise<ExitStatus>;
}
