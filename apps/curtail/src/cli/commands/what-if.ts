import { Option } from 'commander';
import { anotherOne } from '../input/arguments.js';
import type { Register } from './command.js';
import { formats } from './formats.js';
import { example, partitionOption, queueOption } from './online.js';

/** `curtail what-if`: compares proposed configurations against the current allocations. docs/reference/cli.md */
export const whatIf: Register = (program, act) => {
  example(
    program
      .command('what-if')
      .summary('compare proposed configurations or quotas, without changing anything')
      .description(
        'Compares configurations of files, or the quota of one queue, with the one in force: victims by queue, owner and application, the work ' +
          'they lose, what stays above its quota, and the lowest quota that needs no victim. Exit status 1 if any would evict.',
      )
      .option(
        '-f, --file <path>',
        'a configuration, as for apply; - for standard input. May be repeated, up to five',
        anotherOne,
      )
      .addOption(new Option('--format <format>', 'format of the files; default: detected').choices(formats))
      .option('--allow-unknown', 'keys of queues.yaml that Curtail does not know are warnings, not errors')
      .addOption(queueOption('the queue whose quota to try, in place of files'))
      .option(
        '--max <type=quantity>',
        'with --queue: a limit to try, such as memory=120G; other limits stay. May be repeated',
        anotherOne,
      )
      .addOption(partitionOption())
      .action(act(() => import('../actions/what-if.js'))),
    'curtail what-if --queue root.research --max memory=120G',
    'curtail what-if -f proposal-a.yaml -f proposal-b.yaml',
  );
};
