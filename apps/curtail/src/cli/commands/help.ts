import type { Command } from 'commander';
import { didYouMean } from '#contracts';
import { CommandError } from '../terminal/errors.js';
import type { Register } from './command.js';

/** `curtail help`: the same as --help, of the program or of one command. docs/reference/cli.md */
export const help: Register = (program) => {
  program
    .command('help')
    .argument('[command...]', 'a command, such as get, or dead-letters retry')
    .summary('show the options of a command, with an example')
    .description('Shows the commands, or the options of one command with an example; the same as --help.')
    .action(async (words: string[]) => {
      words.reduce(inner, program);
      // Some help is composed only where it is asked for: that of start.
      await program.parseAsync([...words, '--help'], { from: 'user' });
    });
};

function inner(command: Command, word: string): Command {
  const found = command.commands.find((one) => one.name() === word);
  if (found) return found;
  const known = command.commands.map((one) => one.name()).filter((name) => name !== 'complete');
  throw new CommandError(`unknown command '${word}'${didYouMean(word, known)}`, {
    next: 'see the commands: curtail --help',
  });
}
