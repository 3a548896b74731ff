import { lowerCase } from '../input/arguments.js';
import type { Register } from './command.js';
import { example } from './online.js';

/** `curtail status`: what needs attention, and the status of each partition. docs/reference/cli.md */
export const status: Register = (program, act) => {
  example(
    program
      .command('status')
      .summary('show what runs, what is due, what waits, and what needs attention')
      .description(
        'Shows for each partition its mode and stops, the queues above their quota and why, clocks, runs in progress, runs that wait for ' +
          'approval, and the reports of its scheduler; then lag and dead letters. Exit status 1 if something needs attention.',
      )
      .option('--partition <name>', 'only this partition', lowerCase)
      .option('-w, --watch', 'refresh as things change, until Ctrl-C')
      .action(act(() => import('../actions/status.js'))),
    'curtail status',
    'curtail status --watch',
    'curtail status --partition gpu -o json',
  );
};
