import type { Command } from 'commander';
import type { Invocation } from '../invocation.js';
import type { ExitStatus } from '../terminal.js';

/** What a command does: `run` gets the invocation, then arguments and options as commander hands them over. */
export interface Action {
  run(invocation: Invocation, ...received: never[]): Promise<ExitStatus>;
}

/**
 * Puts one command on the program. Its action is a module of its own, which `act` loads when the command is called: no
 * command pays for what another one needs.
 */
export type Register = (
  program: Command,
  act: (load: () => Promise<Action>) => (...received: unknown[]) => Promise<void>,
) => void;
