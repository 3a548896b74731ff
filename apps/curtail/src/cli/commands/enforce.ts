import type { Register } from './command.js';
import { example, partitionOption } from './online.js';
import { queueWord } from './words.js';

/** `curtail enforce`: requests a run of a queue that is above its quota. docs/reference/cli.md */
export const enforce: Register = (program, act) => {
  example(
    program
      .command('enforce')
      .argument('<queue>', 'a queue above its quota', queueWord('enforce'))
      .summary('request a run of a queue that is above its quota')
      .description(
        'Starts the clock of a queue that is above its quota, for example after a run that was stopped, rejected or cancelled, or freed too ' +
          'little. Shows what the run would evict now, and asks first.',
      )
      .addOption(partitionOption())
      .option('--now', 'start at once, without the delay of the queue; brings a pending clock forward')
      .option('--reason <text>', 'the reason, recorded in the log')
      .option('-y, --yes', 'do not ask for confirmation')
      .action(act(() => import('../actions/enforce.js'))),
    'curtail enforce root.research',
    'curtail enforce root.research --now --reason "maintenance at noon"',
  );
};
