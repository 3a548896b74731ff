import { anotherOne, settingPair, wholeNumberArgument } from '../input/arguments.js';
import { example, partitionOption, type Register } from './command.js';
import { queueWord } from './words.js';

/** `curtail settings`: the settings of a queue and where each comes from, or overrides of them. docs/reference/cli.md */
export const settings: Register = (program, act) => {
  const command = program
    .command('settings')
    .argument('[queue]', 'a queue; default: root, which is the partition', queueWord('settings'))
    .summary('show the settings of a queue and where each comes from, or override them')
    .description(
      'Shows the settings in force for a queue or for the partition, and where each comes from. With --set and --clear, overrides them at ' +
        'runtime for the queue and all below it, without a new configuration and without a restart.',
    )
    .addOption(partitionOption())
    .option(
      '--set <name=value>',
      'override a setting, such as victimsPerSecond=5 or protect=\'{"users": ["ann"]}\'; may be repeated',
      settingPair,
    )
    .option('--clear <name>', 'let the configuration decide again; may be repeated', anotherOne)
    .option('--reason <text>', 'the reason, recorded in the log')
    .option(
      '--if-version <number>',
      'only if the overrides of the partition are at this version',
      wholeNumberArgument(0, 999_999_999),
    )
    .action(act(() => import('../actions/settings.js')));
  example(
    command,
    'curtail settings',
    'curtail settings root.research',
    'curtail settings root.research --set victimsPerSecond=1 --reason "incident 17"',
    'curtail settings root.research --clear victimsPerSecond',
  );
};
