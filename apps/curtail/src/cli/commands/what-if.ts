import { Option } from 'commander';
import { anotherOne, duration } from '../input/arguments.js';
import type { Register } from './command.js';
import { formats } from './formats.js';
import { example, partitionOption, queueOption } from './online.js';
import { filesArgument } from './words.js';

/** `curtail what-if`: compares proposed configurations against the current allocations. docs/reference/cli.md */
export const whatIf: Register = (program, act) => {
  example(
    program
      .command('what-if')
      .summary('compare proposed configurations or quotas, without changing anything')
      .description(
        'Compares configurations of files, or quotas, with the one in force: victims by queue, owner and application, the work they lose, what stays ' +
          'above its quota, and the lowest quota that needs no victim. With a state dump of YuniKorn it needs no server. Exit status 1 if any would evict.',
      )
      .addArgument(filesArgument('what-if'))
      .option(
        '-f, --file <path>',
        'a configuration, as for apply; - for standard input. May be repeated, up to five',
        anotherOne,
      )
      .option('--yarn-site <file>', 'the yarn-site.xml beside the files that are a capacity-scheduler.xml')
      .addOption(new Option('--format <format>', 'format of the files; default: detected').choices(formats))
      .option('--allow-unknown', 'keys of queues.yaml that Curtail does not know are warnings, not errors')
      .addOption(queueOption('the queue whose quota to try, in place of files'))
      .option(
        '--max <type=quantity...>',
        'with --queue: limits to try, such as memory=120G; others stay. Behind another queue: of that, as in --max root.team vcore=8. May be repeated',
        anotherOne,
      )
      .option(
        '--delay <time>',
        'a delay such as 10m, for queues that have none; enforcement then counts as on',
        duration,
      )
      .option(
        '--statedump <file>',
        'compare with a full state dump of YuniKorn, without a server: the answer of /ws/v1/fullstatedump (curl -L)',
      )
      .option('--allow-difference', 'use a dump that lists other allocations than its queues have')
      .addOption(partitionOption())
      .action(act(() => import('../actions/what-if.js'))),
    'curtail what-if --queue root.research --max memory=120G',
    'curtail what-if proposal-a.yaml proposal-b.yaml',
    'curtail what-if --statedump dump.json -f new-queues.yaml',
  );
};
