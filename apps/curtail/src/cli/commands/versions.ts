import { lowerCase, wholeNumberArgument } from '../input/arguments.js';
import { example, partitionOption, queueOption, type Register } from './command.js';

/** `curtail diff`: changes between two configurations. docs/reference/cli.md */
export const diff: Register = (program, act) => {
  const command = program
    .command('diff')
    .argument('<old>', 'a file, or the number of a version that was in force')
    .argument('<new>', 'a file or version to compare with it')
    .summary('compare two configurations')
    .description(
      'Compares two configurations, files or earlier versions: what is raised and lowered, and which clocks start or are cancelled.',
    )
    .option('--allow-unknown', 'keys of queues.yaml that Curtail does not know are warnings, not errors')
    .option('--yarn-site <file>', 'the yarn-site.xml beside the files that are a capacity-scheduler.xml')
    .option(
      '--partition <name>',
      'only this partition of files, and that of versions (CURTAIL_PARTITION); capacity-scheduler.xml names none',
      lowerCase,
    )
    .action(act(() => import('../actions/diff.js')));
  example(
    command,
    'curtail diff queues.yaml queues-next.yaml',
    'curtail diff 17 18',
    'curtail diff 17 queues.yaml',
    'curtail diff capacity-scheduler.xml next.xml --yarn-site yarn-site.xml',
  );
};

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

/** `curtail rollback`: puts an earlier version of a configuration in force again. docs/reference/cli.md */
export const rollback: Register = (program, act) => {
  const command = program
    .command('rollback')
    .argument(
      '[version]',
      'an earlier version (curtail get configurations); default: the one before that in force',
      wholeNumberArgument(1, 999_999_999),
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
