import { Argument } from 'commander';
import { nearestOf } from '#contracts/ground';
import { type Explainable, explainableKinds as kinds } from '../resources/nouns.js';
import { shellWord } from '../terminal/called.js';
import { CommandError } from '../terminal/errors.js';
import { kindOfWord } from '../terminal/word-kind.js';
import { example, partitionOption, type Register } from './command.js';

/** `curtail explain`: why allocations were evicted or spared. docs/reference/cli.md */
export const explain: Register = (program, act) => {
  const command = program
    .command('explain')
    .addArgument(
      new Argument(
        '<what>',
        'enforcement, allocation, application, user or queue; or both as `-o name` has them: queue/root.a',
      ).argParser(explainable),
    )
    .argument(
      '[name]',
      'the id of an enforcement, allocation or application, the name of a user, or the path of a queue',
    )
    .summary('show the rule and the numbers behind each victim and each spared allocation')
    .description(
      'Explains the victims and spared allocations of a run, why an allocation was chosen or spared, what runs did and are to do with the work of ' +
        'an application or a user, or what happened to the clock of a queue.',
    )
    .addOption(partitionOption())
    .option('--all', 'everything, not only the first 50 of each list')
    .action(act(() => import('../actions/explain.js')));
  example(
    command,
    'curtail explain enforcement e-99dr3sgdmmb0',
    'curtail explain allocation sweep-gpu-2',
    'curtail explain application sweep',
    'curtail explain user alan',
    'curtail explain queue root.research',
  );
};

/** What `-o name` of other lists is about. */
const others: Record<string, Explainable['kind']> = {
  plan: 'enforcement',
  run: 'enforcement',
  timer: 'queue',
  pool: 'queue',
  victim: 'allocation',
  job: 'application',
  app: 'application',
  foreseen: 'application',
  owner: 'user',
};

function explainable(text: string): Explainable {
  const [word, ...rest] = text.split('/');
  const kind = kinds.find((known) => known === (others[word ?? ''] ?? word));
  if (kind === undefined) {
    const own = kindOfWord(text);
    // The id of a run or the path of a queue says what it is.
    if (own === 'enforcement' || own === 'queue') return { kind: own, name: text };
    const meant = nearestOf(word ?? '', kinds);
    throw new CommandError(`${JSON.stringify(text)} cannot be explained: write one of ${kinds.join(', ')}`, {
      next: meant
        ? `write ${meant}: curtail explain ${meant} NAME`
        : `if it is an application, explain it: curtail explain application ${shellWord(text)}`,
    });
  }
  return rest.length === 0 ? { kind } : { kind, name: rest.join('/') };
}
