import { Option } from 'commander';
import { lowerCase } from '../input/arguments.js';
import type { Register } from './command.js';
import { formats } from './formats.js';
import { example } from './online.js';

/** `curtail apply`: puts a configuration in force, or previews its effects. docs/reference/cli.md */
export const apply: Register = (program, act) => {
  const command = program
    .command('apply')
    .summary('put a configuration in force, or see what it would lead to')
    .description(
      'Puts the configuration of a file in force, for each partition in it; with --dry-run says what would change and who would be evicted, and keeps nothing.',
    )
    .requiredOption('-f, --file <file>', 'queues.yaml, capacity-scheduler.xml, or pool trees as YAML or JSON')
    .addOption(
      new Option(
        '--format <format>',
        'what it is written for; if not given, found out from the file',
      ).choices(formats),
    )
    .option('--yarn-site <file>', 'with capacity-scheduler.xml: the yarn-site.xml beside it')
    .option('--dry-run', 'what would change, with the victims; exit status 1 if there would be any')
    .option(
      '--partition <name>',
      'only this partition of the file; capacity-scheduler.xml names none, and is for default otherwise',
      lowerCase,
    )
    .action(act(() => import('../actions/apply.js')));
  example(
    command,
    'curtail apply -f examples/queues-lowered.yaml --dry-run',
    'curtail apply -f examples/queues-lowered.yaml',
    'curtail apply -f capacity-scheduler.xml --yarn-site yarn-site.xml',
  );
};
