import { Argument } from 'commander';
import { type Explainable, explainableKinds as kinds } from '../resources/explainable.js';
import { shellWord } from '../terminal/called.js';
import { CommandError } from '../terminal/errors.js';
import type { Register } from './command.js';
import { example, partitionOption } from './online.js';

/** `curtail explain`: why allocations were evicted or spared. docs/reference/cli.md */
export const explain: Register = (program, act) => {
  const command = program
    .command('explain')
    .addArgument(
      new Argument(
        '<what>',
        'enforcement, allocation or queue; or both as `-o name` has them: queue/root.a',
      ).argParser(explainable),
    )
    .argument('[name]', 'the id of an enforcement or allocation, or the path of a queue')
    .summary('show the rule and the numbers behind each victim and each spared allocation')
    .description(
      'Explains the victims and spared allocations of a run, why an allocation was chosen or spared, or what happened to the clock of a queue.',
    )
    .addOption(partitionOption())
    .option('--all', 'everything, not only the first 50 of each list')
    .action(act(() => import('../actions/explain.js')));
  example(
    command,
    'curtail explain enforcement e-99dr3sgdmmb0',
    'curtail explain allocation sweep-gpu-2',
    'curtail explain queue root.research',
  );
};

/** What `-o name` of other lists is about. */
const others: Record<string, Explainable['kind']> = { plan: 'enforcement', timer: 'queue', pool: 'queue' };

function explainable(text: string): Explainable {
  const [word, ...rest] = text.split('/');
  const kind = kinds.find((known) => known === (others[word ?? ''] ?? word));
  if (kind === undefined) {
    const meant = /^e-[0-9a-z]+$/.test(text) ? 'enforcement' : /^root(\.|$)/.test(text) ? 'queue' : undefined;
    throw new CommandError(`${JSON.stringify(text)} cannot be explained: write one of ${kinds.join(', ')}`, {
      next: meant
        ? `explain it: curtail explain ${meant} ${shellWord(text)}`
        : 'see examples: curtail explain --help',
    });
  }
  return rest.length === 0 ? { kind } : { kind, name: rest.join('/') };
}
