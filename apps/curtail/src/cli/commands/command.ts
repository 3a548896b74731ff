import type { Command } from 'commander';
import type { Action } from '../actions/action.js';

/**
 * Adds one command to the program. Its action is a module of its own, which `act` loads when the command is called, so that no
 * command loads what only others need.
 */
export type Register = (
  program: Command,
  act: (load: () => Promise<Action>) => (...received: unknown[]) => Promise<void>,
) => void;
