import type { Command } from 'commander';
import type { Invocation } from '../invocation.js';
import type { ExitStatus } from '../terminal.js';

/** What a command does: arguments and options as commander hands them over, after the invocation. */
export type Action = (invocation: Invocation, ...received: never[]) => Promise<ExitStatus>;

/**
 * Puts one command on the program. `act` wraps an action for commander. What an action needs is imported when it runs, so
 * that no command pays for another.
 */
export type Register = (
  program: Command,
  act: (action: Action) => (...received: unknown[]) => Promise<void>,
) => void;
