import type { Command } from 'commander';
import type { Action } from '../actions/action.js';

/**
 * Puts one command on the program. Its action is a module of its own, which `act` loads when the command is called: no
 * command pays for what another one needs.
 */
export type Register = (
  program: Command,
  act: (load: () => Promise<Action>) => (...received: unknown[]) => Promise<void>,
) => void;
