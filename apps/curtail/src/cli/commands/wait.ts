import { Option } from 'commander';
import { duration } from '../input/arguments.js';
import { lengths } from '../input/duration.js';
import type { Register } from './command.js';
import { example, partitionOption } from './online.js';
import { runWord } from './words.js';

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
          .argParser(duration)
          .default(600, '10m'),
      )
      .action(act(() => import('../actions/wait.js'))),
    'curtail wait e-99dr3sgdmmb0 --timeout 30m',
    'curtail wait root.research',
  );
};
