import type { Register } from './command.js';

/** `curtail timeline`: the clock of one queue, replayed. docs/reference/cli.md */
export const timeline: Register = (program, act) => {
  program
    .command('timeline')
    .summary('replay the clock of a queue step by step')
    .description(
      'Replays the clock of one queue: when an enforcement is due after each step, and when one starts.',
    )
    .option('--input <file>', 'one timeline as JSON')
    .option('--batch <file>', 'one timeline per line; prints one result per line, in the same order')
    .addHelpText('after', '\nExample:\n  curtail timeline --input clock.json -o table')
    .action(act(() => import('../actions/timeline.js')));
};
