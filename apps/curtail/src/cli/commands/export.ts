import type { Register } from './command.js';
import { example, partitionOption, queueOption } from './online.js';

/** `curtail export`: the configuration in force, to apply again or to give to the scheduler. docs/reference/cli.md */
export const exportConfiguration: Register = (program, act) => {
  const command = program
    .command('export')
    .argument('[version]', 'an earlier version (curtail get configurations); default: the one in force')
    .summary('write the configuration in force, or an earlier version, as a file')
    .description(
      'Writes the configuration in force, or an earlier version, in its original format, to apply again or to give to the scheduler; with -o json or yaml, everything recorded about it.',
    )
    .addOption(partitionOption())
    .addOption(
      queueOption(
        'only the entry of this queue of a queues.yaml, with everything below it, for curtail apply --queue',
      ),
    )
    .action(act(() => import('../actions/export.js')));
  example(
    command,
    'curtail export > queues.yaml',
    'curtail export 17 > queues-17.yaml',
    'curtail export --partition gpu -o json',
    'curtail export --queue root.research > research.yaml',
  );
};
