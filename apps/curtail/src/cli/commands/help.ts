import { Argument, type Command } from 'commander';
import { didYouMean } from '#contracts/ground';
import { CommandError } from '../terminal/errors.js';
import { example, type Register } from './command.js';

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

/** `curtail version`: the same as --version. docs/reference/cli.md */
export const version: Register = (program, act) => {
  program
    .command('version')
    .summary('show the version of this program')
    .description('Shows the version of this program; the same as --version.')
    .action(act(async () => (await import('../actions/version.js')).showing(program.version() ?? 'unknown')));
};

/** `curtail completion`: completion of commands, options, queues and ids in a shell. docs/reference/cli.md */
export const completion: Register = (program, act) => {
  example(
    program
      .command('completion')
      .addArgument(new Argument('<shell>', 'the shell').choices(['bash', 'zsh', 'fish', 'powershell']))
      .summary('print a script that completes commands, queues and ids in a shell')
      .description(
        'Prints a script for a shell. It completes commands and options, and asks the server of CURTAIL_SERVER for partitions, queues and ids.',
      )
      .action(act(async () => (await import('../actions/completion.js')).script)),
    'source <(curtail completion bash)',
    'curtail completion zsh > ~/.curtail-completion.zsh; source ~/.curtail-completion.zsh',
    'curtail completion fish > ~/.config/fish/completions/curtail.fish',
  );
  // The script calls it with the words of the line.
  program
    .command('complete', { hidden: true })
    .argument('[words...]')
    .action(act(async () => (await import('../actions/completion.js')).completionsOf(program)));
};
