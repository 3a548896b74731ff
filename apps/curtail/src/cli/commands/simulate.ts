import { InvalidArgumentError } from 'commander';
import { lowerCase, wholeNumberArgument } from '../input/arguments.js';
import { example, partitionOption, type Register } from './command.js';

/** `curtail simulate`: fills and empties the simulated cluster. docs/reference/cli.md */
export const simulate: Register = (program, act) => {
  const group = program
    .command('simulate')
    .summary('fill or empty the simulated cluster')
    .description('Fills or empties the simulated cluster.');
  example(
    group
      .command('load')
      .summary('fill it with generated work')
      .description('Fills the simulated cluster with generated work; the same options give the same work.')
      .requiredOption('--queues <number>', 'leaf queues', wholeNumberArgument(1, 100_000))
      .requiredOption(
        '--allocations <number>',
        'allocations, spread over the queues',
        wholeNumberArgument(0, 2_000_000),
      )
      .addOption(partitionOption())
      .option('--under <path>', 'the queue that contains all of them', lowerCase, 'root.load')
      .option('--depth <number>', 'levels from there to the leaves; default: 1', wholeNumberArgument(1, 8))
      .option('--applications <number>', 'default: one per 20 allocations', wholeNumberArgument(1, 1_000_000))
      .option('--users <number>', 'default: 50', wholeNumberArgument(1, 100_000))
      .option('--nodes <number>', 'default: one per 50 allocations', wholeNumberArgument(0, 100_000))
      .option(
        '--daemons-percent <number>',
        'percentage of allocations that are daemons; default: 1',
        wholeNumberArgument(0, 100),
      )
      .option(
        '--started-within-hours <number>',
        'age of the oldest, in hours; default: 24',
        wholeNumberArgument(0, 8784),
      )
      .option(
        '--seed <number>',
        'the seed of the generated work; default: 1',
        wholeNumberArgument(0, 0xffffffff),
      )
      .option('--task-priorities <list>', 'priorities of single allocations, such as 0,10,100', numbers)
      .option(
        '--unwilling-percent <number>',
        'percentage of allocations with allowPreemption: false; default: 10',
        wholeNumberArgument(0, 100),
      )
      .option(
        '--refusing-percent <number>',
        'percentage of allocations that refuse evictions; default: 0',
        wholeNumberArgument(0, 100),
      )
      .option(
        '--refuses <times>',
        'how many evictions each of these refuses, or always; default: 1',
        refusals,
      )
      .option(
        '--slow-percent <number>',
        'percentage of allocations that leave slowly; default: 0',
        wholeNumberArgument(0, 100),
      )
      .option(
        '--leaves-after-seconds <range>',
        'seconds that each of these takes to leave, such as 45 or 30-120; default: 30-120',
        secondsOrRange,
      )
      .option('--replace', 'first remove existing work')
      .option(
        '--config-out <file>',
        'write the configuration in force with quotas for these queues, somewhat above what they use',
      )
      .action(act(() => import('../actions/simulate-load.js'))),
    'curtail simulate load --queues 100 --allocations 10000',
    'curtail simulate load --queues 20 --allocations 2000 --config-out load.yaml',
    'curtail simulate load --queues 100 --allocations 10000 --refusing-percent 2 --slow-percent 10',
  );
  example(
    group
      .command('sample')
      .summary('load a small sample')
      .description('Loads the sample for examples/queues.yaml into an empty simulated cluster.')
      .addOption(partitionOption())
      .action(act(() => import('../actions/simulate-sample.js'))),
    'curtail simulate sample',
  );
  example(
    group
      .command('play')
      .summary('play a scenario: before, what Curtail does and why, after')
      .description(
        'Puts a scenario into the simulated cluster, in a partition of its own, and reports its course: allocations before, what ' +
          'each round does and why, and allocations after.',
      )
      .argument('<file>', 'a scenario (docs/reference/scenarios.md)')
      .action(act(() => import('../actions/simulate-play.js'))),
    'curtail simulate play examples/priority-inversion.yaml',
    'curtail start --scenario examples/priority-inversion.yaml   (with nothing running yet)',
  );
  example(
    group
      .command('clear')
      .summary('remove work, as if it had never existed')
      .description('Removes the work of the simulated cluster, or of a queue and all below it.')
      .addOption(partitionOption())
      .option('--under <path>', 'only this queue and all below it', lowerCase)
      .action(act(() => import('../actions/simulate-clear.js'))),
    'curtail simulate clear --under root.load',
  );
};

function numbers(text: string): number[] {
  const read = text.split(',').map((word) => (/^\s*-?\d{1,9}\s*$/.test(word) ? Number(word) : Number.NaN));
  if (read.some(Number.isNaN)) throw new InvalidArgumentError('Write whole numbers such as 0,10,100.');
  return read;
}

const refusals = (text: string): number | 'always' =>
  text === 'always' ? text : wholeNumberArgument(1, 1000)(text);

function secondsOrRange(text: string): number | { from: number; to: number } {
  const [, from, to] = /^(\d{1,5})(?:-(\d{1,5}))?$/.exec(text) ?? [];
  if (from === undefined)
    throw new InvalidArgumentError('Write seconds such as 45, or a range such as 30-120.');
  return to === undefined ? Number(from) : { from: Number(from), to: Number(to) };
}
