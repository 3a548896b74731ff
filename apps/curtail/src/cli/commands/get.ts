import { Argument, type Command } from 'commander';
import { nearestOf } from '#contracts/ground';
import { instantArgument, lengths, nameArgument, wholeNumberArgument } from '../input/arguments.js';
import { type Listable, type Noun, nouns, shortNames } from '../resources/nouns.js';
import { shellWord } from '../terminal/called.js';
import { CommandError } from '../terminal/errors.js';
import { kindOfWord, stepFor } from '../terminal/word-kind.js';
import { example, partitionOption, queueOption, type Register } from './command.js';

/** `curtail get`: resources as a list, or one by its name. docs/reference/cli.md */
export const get: Register = (program, act) => {
  const command = program
    .command('get')
    .addArgument(
      new Argument(
        '<what>',
        `${nouns.map(withShortName).join(', ')}; or one of them as \`-o name\` prints it`,
      ).argParser((text) => listable(program, text)),
    )
    .argument(
      '[name]',
      'one of them: a queue, the id of an enforcement or allocation, the position of an event, the version of a configuration',
    )
    .summary(
      'list queues, timers, enforcements, plans, events, allocations, notices, replays or configurations',
    )
    .description(`Lists ${nouns.slice(0, -1).join(', ')} or ${nouns.at(-1)}; with a name, one of them.`)
    .addOption(partitionOption())
    .addOption(queueOption('only of this queue and of all below it'))
    .option('--since <time>', `only after this time, or this long ago: ${lengths}`, instantArgument)
    .option('--until <time>', 'only events before this time, or before this long ago', instantArgument)
    .option(
      '--state <state>',
      'only enforcements, timers or replays in this state: scheduled, executing, waiting, ended …',
    )
    .option('--policy <name>', 'only enforcements, plans, timers or rounds of this policy')
    .option('--type <name>', 'only events of this name, such as VictimEvicted')
    .option('--enforcement <id>', 'only events of this run and its clock', nameArgument('enforcement'))
    .option(
      '--user <name>',
      'only victims or events about the work of this user, or evictions that are foreseen for it',
    )
    .option(
      '--application <id>',
      'only victims or events of this application, or evictions that are foreseen for it',
    )
    .option('--by <name>', 'only configurations that this user sent, or events that it commanded or sent')
    .option('-A, --all-partitions', 'in all partitions')
    .option(
      '--sort-by <field>',
      'sort by a field of the JSON output, such as usage.memory; -FIELD: largest first',
    )
    .option('--limit <number>', 'at most this many', wholeNumberArgument(1, 100_000), 100)
    .option('--all', 'all victims of an enforcement, not only the first 50')
    .option('-w, --watch', 'refresh as things change, until Ctrl-C')
    .action(act(() => import('../actions/get.js')));
  example(
    command,
    'curtail get queues',
    'curtail get timers --watch',
    'curtail get foreseen --user ann',
    'curtail get victims --application train',
    'curtail get enforcements --queue root.research --since 2h',
    'curtail get enforcements -A --state waiting',
    'curtail get q --sort-by -usage.memory',
    'curtail get plans e-99dr3sgdmmb0',
    'curtail get events --by anna --since 7d --until 6d',
    'curtail get configurations --by anna --since 7d',
    'curtail get configuration 17',
  );
};

const withShortName = (noun: Noun) => (shortNames[noun] ? `${noun} (${shortNames[noun]})` : noun);

function listable(program: Command, text: string): Listable {
  const [word = '', ...rest] = text.split('/');
  const noun = nouns.find((known) => [known, known.slice(0, -1), shortNames[known]].includes(word));
  if (noun === undefined) {
    const kind = kindOfWord(text);
    if (kind !== undefined)
      throw new CommandError(`write what ${text} is`, { next: stepFor(kind, 'get', shellWord(text)) });
    const command = program.commands.find((one) => one.name() === word);
    const meant = nearestOf(word, [...nouns, ...nouns.map((known) => known.slice(0, -1))]);
    const name = rest.length === 0 ? '' : ` ${rest.join('/')}`;
    throw new CommandError(
      meant
        ? `${JSON.stringify(word)} cannot be listed; did you mean ${meant}?`
        : `${JSON.stringify(text)} cannot be listed: write one of ${nouns.join(', ')}`,
      {
        next: command
          ? `${command.summary()}: curtail ${command.name()} --help`
          : meant
            ? `list them: curtail get ${meant}${name}`
            : 'see what can be listed: curtail get --help',
      },
    );
  }
  return rest.length === 0 ? { noun } : { noun, name: rest.join('/') };
}
