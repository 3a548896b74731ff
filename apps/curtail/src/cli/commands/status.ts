import { Option } from 'commander';
import { durationArgument, lengths, lowerCase } from '../input/arguments.js';
import { example, partitionOption, type Register } from './command.js';
import { runWord } from './words.js';

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

/** `curtail wait`: until a run has ended, or a queue is within its quota. docs/reference/cli.md */
export const wait: Register = (program, act) => {
  example(
    program
      .command('wait')
      .argument(
        '<what>',
        'the id of a run, or a unique prefix of it; or a queue: root.a or queue/root.a',
        runWord('wait'),
      )
      .summary('wait until a run has ended, or a queue is within its quota')
      .description(
        'Waits until a run has ended and prints its outcome, or until a queue is within its quota with no clock and no run. ' +
          'Exit status 1 if that does not happen in time.',
      )
      .addOption(partitionOption())
      .addOption(
        new Option('--timeout <time>', `how long to wait: ${lengths}`)
          .argParser(durationArgument)
          .default(600, '10m'),
      )
      .action(act(() => import('../actions/wait.js'))),
    'curtail wait e-99dr3sgdmmb0 --timeout 30m',
    'curtail wait root.research',
  );
};
