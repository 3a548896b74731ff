import { Option } from 'commander';
import { anotherOne, lowerCase, wholeNumberArgument } from '../input/arguments.js';
import { example, queueOption, type Register } from './command.js';
import { filesArgument, formats } from './words.js';

/** `curtail apply`: puts a configuration in force, or previews its effects. docs/reference/cli.md */
export const apply: Register = (program, act) => {
  const command = program
    .command('apply')
    .summary('put a configuration in force, or preview its effects')
    .description(
      'Puts the configurations of files in force, for each partition in them; with --dry-run, only shows what would change and be evicted.',
    )
    .addArgument(filesArgument('apply'))
    .option(
      '-f, --file <path>',
      'queues.yaml or its ConfigMap, capacity-scheduler.xml, or pool trees as YAML, JSON or YSON; a folder of such files; - for standard input. May be repeated',
      anotherOne,
      [],
    )
    .addOption(new Option('--format <format>', 'format of the files; default: detected').choices(formats))
    .option('--yarn-site <file>', 'with capacity-scheduler.xml: the yarn-site.xml beside it')
    .option('--dry-run', 'only show what would change, and the victims; exit status 1 if there are any')
    .option('--allow-unknown', 'keys of queues.yaml that Curtail does not know are warnings, not errors')
    .option('-y, --yes', 'do not ask for confirmation before queues are removed')
    .option(
      '--if-version <number>',
      'only if this version is in force (curtail get partitions -o wide); 0: only if none is',
      wholeNumberArgument(0, 999_999_999),
    )
    .option(
      '--partition <name>',
      'only this partition of the files; capacity-scheduler.xml names none, and applies to default',
      lowerCase,
    )
    .addOption(
      queueOption(
        'only this queue, with everything below it: the file is its entry (curtail export --queue)',
      ),
    )
    .action(act(() => import('../actions/apply.js')));
  example(
    command,
    'curtail apply examples/queues-lowered.yaml --dry-run',
    'curtail apply examples/queues-lowered.yaml',
    'curtail apply -f east.yaml -f west.yaml',
    'curtail apply -f partitions/',
    'curtail apply -f research.yaml --queue root.research --dry-run',
    'kubectl get configmap yunikorn-configs -o yaml | curtail apply -f -',
    'curtail apply -f capacity-scheduler.xml --yarn-site yarn-site.xml',
  );
};
