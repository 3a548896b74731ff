import { Option } from 'commander';
import { duration, nameOf } from '../input/arguments.js';
import type { Register } from './command.js';
import { example, partitionOption } from './online.js';

/** `curtail wait`: until a run has ended, or a queue is within its quota. docs/reference/cli.md */
export const wait: Register = (program, act) => {
  example(
    program
      .command('wait')
      .argument(
        '<enforcement>',
        'the id of a run, or a unique prefix of it; or a queue: queue/root.a',
        (text: string) => nameOf('enforcement')(text),
      )
      .summary('wait until a run has ended, or a queue is within its quota')
      .description(
        'Waits until a run has ended and prints its outcome, or until a queue is within its quota with no clock and no run. ' +
          'Exit status 1 if that does not happen in time.',
      )
      .addOption(partitionOption())
      .addOption(
        new Option('--timeout <time>', 'how long to wait: 90s, 10m, 2h')
          .argParser(duration)
          .default(600, '10m'),
      )
      .action(act(() => import('../actions/wait.js'))),
    'curtail wait e-99dr3sgdmmb0 --timeout 30m',
    'curtail wait queue/root.research',
  );
};
