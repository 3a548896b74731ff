import { lowerCase } from '../input/arguments.js';
import type { Register } from './command.js';
import { example } from './online.js';

/** `curtail apply`: puts a configuration in force, or shows what it would lead to. docs/reference/cli.md */
export const apply: Register = (program, act) => {
  const command = program
    .command('apply')
    .summary('put a configuration in force, or see what it would lead to')
    .description(
      'Puts the configuration of a file in force, for each partition in it; with --dry-run says what would change and who would be evicted, and keeps nothing.',
    )
    .requiredOption('-f, --file <file>', 'queues.yaml, as YAML or JSON')
    .option('--dry-run', 'what would change, with the victims; exit status 1 if there would be any')
    .option('--partition <name>', 'only this partition of the file', lowerCase)
    .action(act(() => import('../actions/apply.js')));
  example(
    command,
    'curtail apply -f examples/queues-lowered.yaml --dry-run',
    'curtail apply -f examples/queues-lowered.yaml',
  );
};
