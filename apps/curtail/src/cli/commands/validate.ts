import { Option } from 'commander';
import { anotherOne } from '../input/arguments.js';
import type { Register } from './command.js';
import { formats } from './words.js';

/** `curtail validate`: the problems of a configuration, with their places. docs/reference/cli.md */
export const validate: Register = (program, act) => {
  program
    .command('validate')
    .argument('[files...]', 'configurations')
    .summary('check configurations')
    .description('Checks configurations, and lists every problem with its line, column and remedy.')
    .option(
      '-f, --file <path>',
      'a configuration, as for apply; the same as an argument. May be repeated',
      anotherOne,
      [],
    )
    .option('--batch <file>', 'one {"format", "config"} as JSON per line; prints one result per line')
    .addOption(
      new Option(
        '--format <format>',
        'format of the files; default: detected from each, by .xml or its content',
      ).choices(formats),
    )
    .option('--yarn-site <file>', 'with capacity-scheduler.xml: the yarn-site.xml beside it')
    .option('--allow-unknown', 'keys of queues.yaml that Curtail does not know are warnings, not errors')
    .option('--snapshot <file>', 'a cluster snapshot: warn of resource types that do not occur in it')
    .option('--no-delay-inheritance', 'queues do not inherit the delay of the queue above')
    .addOption(
      new Option(
        '--guaranteed-equals-max <rule>',
        'where a queue sets a delay and its guaranteed equals its max; allow makes this a warning',
      )
        .choices(['refuse', 'allow'])
        .default('refuse'),
    )
    .addHelpText(
      'after',
      '\nExample:\n  curtail validate queues.yaml\n  curtail validate staging/*.yaml -o json\n  curtail validate capacity-scheduler.xml --yarn-site yarn-site.xml',
    )
    .action(act(() => import('../actions/validate.js')));
};

/** `curtail quantity`: a quantity in base units. docs/reference/cli.md */
export const quantity: Register = (program, act) => {
  program
    .command('quantity')
    .argument('[text]', 'a quantity, such as 10, 500M or 20Gi')
    .summary('read a quantity')
    .description('Reads one quantity as configurations have it and gives it in base units.')
    .option('--resource <type>', 'the resource type; vcore counts in thousandths', 'memory')
    .option(
      '--batch <file>',
      'one {"resource", "text"} as JSON per line; prints one {"value"} or {"error"} per line',
    )
    .allowUnknownOption()
    .addHelpText('after', '\nExample:\n  curtail quantity 20Gi\n  curtail quantity 500m --resource vcore')
    .action(act(() => import('../actions/quantity.js')));
};
