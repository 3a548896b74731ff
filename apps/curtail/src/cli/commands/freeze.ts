import { withQueue } from '../actions/one-queue.js';
import { isoDuration, windowTime } from '../input/arguments.js';
import { kindOfWord } from '../terminal/word-kind.js';
import { allowUnknownOption, example, partitionOption, queueOption, type Register } from './command.js';
import { queueArgument, queueWord, wordFor } from './words.js';

/** Windows of time without evictions. docs/reference/cli.md */
export const freeze: Register = (program, act) =>
  example(
    program
      .command('freeze')
      .addArgument(queueArgument('freeze', 'only this queue and all below it; default: the whole partition'))
      .summary('hold evictions in a window of time, once or recurring')
      .description(
        'Freezes a partition, or a queue and all below it, in a window of time: clocks that fall due start at its end. Runs in progress continue.',
      )
      .addOption(partitionOption())
      .addOption(queueOption('only this queue and all below it'))
      .option(
        '--from <time>',
        'the start: 2026-12-24T18:00Z, or a local time of --time-zone; default: now',
        windowTime,
      )
      .option('--until <time>', 'the end of a freeze without a rule', windowTime)
      .option(
        '--duration <length>',
        'the length, in place of --until, or of each occurrence: 8h, 2d12h, PT8H',
        isoDuration,
      )
      .option('--rule <rule>', 'recur by a rule of RFC 5545: FREQ=WEEKLY;BYDAY=FR')
      .option('--time-zone <zone>', 'the time zone of a rule, and of times without an offset: Europe/Berlin')
      .option('--reason <text>', 'the reason, recorded in the log')
      .addOption(allowUnknownOption()),
    'curtail freeze --until 2026-12-01T08:00Z --reason "release"',
    'curtail freeze root.research --duration 8h',
    'curtail freeze --from 2026-11-27T18:00 --duration P2DT12H --rule "FREQ=WEEKLY;BYDAY=FR" --time-zone Europe/Berlin',
  ).action(act(async () => withQueue((await import('../actions/freeze.js')).freeze)));

export const unfreeze: Register = (program, act) =>
  example(
    program
      .command('unfreeze')
      .summary('clear freezes')
      .description(
        'Clears one freeze, those of a queue, or all of a partition. Clocks that waited for their end are due at once.',
      )
      .argument(
        '[freeze]',
        'the id of a freeze, as `curtail get freezes` shows it; or a queue, the same as --queue',
        (text: string) => {
          const word = wordFor('unfreeze', ['freeze', 'queue'], text);
          return kindOfWord(word) === 'queue' ? { queue: queueWord('unfreeze')(word) } : word;
        },
      )
      .addOption(partitionOption())
      .addOption(queueOption('only the freezes of this queue')),
    'curtail unfreeze f-1a2b3c4d5e6f',
    'curtail unfreeze root.research',
  ).action(act(async () => (await import('../actions/freeze.js')).unfreeze));
