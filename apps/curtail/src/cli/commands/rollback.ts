import { wholeNumber } from '../input/arguments.js';
import type { Register } from './command.js';
import { example, partitionOption } from './online.js';

/** `curtail rollback`: puts an earlier version of a configuration in force again. docs/reference/cli.md */
export const rollback: Register = (program, act) => {
  const command = program
    .command('rollback')
    .argument(
      '[version]',
      'an earlier version (curtail get configurations); default: the one before that in force',
      wholeNumber(1, 999_999_999),
    )
    .summary('put an earlier version of a configuration in force again')
    .description(
      'Puts the text of an earlier version in force as a new version. Shows what would change and be evicted, and asks first.',
    )
    .addOption(partitionOption())
    .option('--dry-run', 'only show what would change, and the victims; exit status 1 if there are any')
    .option('-y, --yes', 'do not ask for confirmation')
    .action(act(() => import('../actions/rollback.js')));
  example(command, 'curtail rollback --dry-run', 'curtail rollback 17', 'curtail rollback 17 --yes');
};
