import { Argument } from 'commander';
import type { Register } from './command.js';
import { example } from './online.js';

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
