import { type Command, Option } from 'commander';
import { lowerCase } from '../input/arguments.js';

/** The partition that a command applies to. */
export function partitionOption(): Option {
  return new Option('--partition <name>', 'the partition').argParser(lowerCase).default('default');
}

/** The queue that a command applies to. */
export function queueOption(meaning: string): Option {
  return new Option('--queue <path>', meaning).argParser(lowerCase);
}

export const example = (command: Command, ...lines: string[]): Command =>
  command.addHelpText('after', `\nExample:\n${lines.map((line) => `  ${line}`).join('\n')}`);
