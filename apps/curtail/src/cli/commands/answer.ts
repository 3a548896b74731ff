import { Argument } from 'commander';
import { instant, nameOf } from '../input/arguments.js';
import type { Register } from './command.js';
import { example, partitionOption } from './online.js';

/** `curtail answer`: an owner answers to an upcoming eviction. docs/reference/cli.md */
export const answer: Register = (program, act) => {
  example(
    program
      .command('answer')
      .addArgument(
        new Argument('<answer>', 'evict it now, its work is saved, or evict it later').choices([
          'ready',
          'checkpointed',
          'extend',
        ]),
      )
      .argument('<allocation>', 'the allocation', (text: string) => nameOf('allocation')(text))
      .summary('answer to an upcoming eviction as its owner')
      .description(
        'Answers to the upcoming eviction of an allocation: ready (evict it now), checkpointed (its work is saved, less of it is lost) or ' +
          'extend (evict it later, within the limit of its queue). A token of a team may answer for its own queues.',
      )
      .addOption(partitionOption())
      .option('--uid <uid>', 'the incarnation; default: the one that runs')
      .option(
        '--at <time>',
        'for checkpointed: when the checkpoint was complete, or how long ago; default: now',
        instant,
      )
      .option('--id <id>', 'your own id of the answer: however often it is sent, it counts once')
      .action(act(() => import('../actions/answer.js'))),
    'curtail answer extend train-17',
    'curtail answer checkpointed train-17 --at 2m',
    'curtail answer ready train-17',
  );
};
