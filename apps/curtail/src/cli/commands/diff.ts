import type { Register } from './command.js';

/** `curtail diff`: changes between two configurations. docs/reference/cli.md */
export const diff: Register = (program, act) => {
  program
    .command('diff')
    .argument('<old>', 'the configuration in force')
    .argument('<new>', 'the one to come')
    .summary('compare two configurations')
    .description(
      'Compares two configurations: what is raised and lowered, and which clocks start or are cancelled.',
    )
    .addHelpText('after', '\nExample:\n  curtail diff queues.yaml queues-next.yaml')
    .action(act(() => import('../actions/diff.js')));
};
