import { lowerCase } from '../input/arguments.js';
import type { Register } from './command.js';
import { example } from './online.js';

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
