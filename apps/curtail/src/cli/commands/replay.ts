import { Option } from 'commander';
import { instant } from '../input/arguments.js';
import type { Register } from './command.js';
import { example } from './online.js';

/** `curtail replay`: reads the log again. docs/reference/cli.md */
export const replay: Register = (program, act) => {
  const command = program
    .command('replay')
    .summary('make every recorded plan again, and compare')
    .description(
      'Reads the log again: makes every recorded plan from its recorded input and compares the digests. Evicts nobody, changes nothing.',
    )
    .addOption(new Option('--into <what>', 'what the log is read into').choices(['digest']).default('digest'))
    .option('--from <time>', 'plans recorded from this time on, or so long ago: 90s, 10m, 2h, 3d', instant)
    .option('--to <time>', 'plans recorded before this time', instant)
    .action(act(() => import('../actions/replay.js')));
  example(command, 'curtail replay --into digest', 'curtail replay --from 2h');
};
