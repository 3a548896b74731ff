import { InvalidArgumentError, Option } from 'commander';
import { didYouMean } from '#contracts/ground';
import { instantArgument, lengths, lowerCase, wholeNumberArgument } from '../input/arguments.js';
import { example, type Register } from './command.js';

/** As `reportGroups` of the API. */
const groups = ['queue', 'user', 'cause', 'rule'] as const;
/** Tables of victims call the user their owner. */
const otherWords: Record<string, string> = { owner: 'user', policy: 'cause' };

/** `curtail report`: evictions of a period, and the work lost with them. docs/reference/cli.md */
export const report: Register = (program, act) => {
  example(
    program
      .command('report')
      .summary('report evictions and the work lost with them, by queue, user, cause or rule')
      .description(
        'Reports how many allocations were evicted in a period, and the work lost with them: amounts times the hours since the start or the ' +
          'last checkpoint of each.',
      )
      .addOption(
        new Option('--since <time>', `from this time, or this long ago: ${lengths}`)
          .argParser(instantArgument)
          .default(instantArgument('30d'), '30 days ago'),
      )
      .option('--until <time>', 'until this time, or this long ago; default: now', instantArgument)
      .addOption(
        new Option(
          '--by <group>',
          'the groups: owner is the user, cause the policy of the run, rule the deciding rule',
        )
          .choices([...groups, ...Object.keys(otherWords)])
          .argParser(group)
          .default('queue'),
      )
      .option('--partition <name>', 'only this partition; default: all', lowerCase)
      .option('--limit <number>', 'at most this many groups', wholeNumberArgument(1, 1000), 100)
      .addOption(new Option('--csv', 'print comma-separated values').conflicts('svg'))
      .option('--svg', 'print a plot of the work lost as an SVG image')
      .option('--resource <type>', 'with --svg: the resource type to plot', 'memory')
      .action(act(() => import('../actions/report.js'))),
    'curtail report --since 30d --by user',
    'curtail report --by cause --csv > report.csv',
    'curtail report --svg --resource vcore > report.svg',
  );
};

function group(text: string): string {
  const known = otherWords[text] ?? text;
  if (groups.some((one) => one === known)) return known;
  throw new InvalidArgumentError(
    `Write one of ${groups.join(', ')}, owner, policy${didYouMean(text, [...groups, 'owner'])}.`,
  );
}
