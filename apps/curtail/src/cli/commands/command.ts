import { type Command, Option } from 'commander';
import { lowerCase, nameArgument } from '../input/arguments.js';
import type { Action } from '../invocation/invocation.js';

/**
 * Adds one command to the program. Its action is a module of its own, which `act` loads when the command is called, so that no
 * command loads what only others need.
 */
export type Register = (
  program: Command,
  act: (load: () => Promise<Action>) => (...received: unknown[]) => Promise<void>,
) => void;

const partitionName = nameArgument('partition');
const queueName = nameArgument('queue', 'pool', 'timer');

/** The partition that a command applies to. */
export function partitionOption(): Option {
  return new Option('--partition <name>', 'the partition (CURTAIL_PARTITION)')
    .argParser((text) => lowerCase(partitionName(text)))
    .default('default');
}

/** The queue that a command applies to. */
export function queueOption(meaning: string): Option {
  return new Option('--queue <path>', meaning).argParser((text) => lowerCase(queueName(text)));
}

/** Without it a name that does not exist is refused: it may be misspelt. */
export const allowUnknownOption = (meaning = 'also a queue or a partition that does not exist yet'): Option =>
  new Option('--allow-unknown', meaning);

export const example = (command: Command, ...lines: string[]): Command =>
  command.addHelpText('after', `\nExample:\n${lines.map((line) => `  ${line}`).join('\n')}`);
