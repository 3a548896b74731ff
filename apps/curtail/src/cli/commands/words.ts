import { Argument } from 'commander';
import { lowerCase, nameArgument } from '../input/arguments.js';
import { shellWord } from '../terminal/called.js';
import { CommandError } from '../terminal/errors.js';
import { kindOfWord, kindText, stepFor, type WordKind } from '../terminal/word-kind.js';

const queueName = nameArgument('queue', 'pool', 'timer');

/**
 * A word of one of these kinds, or one whose kind does not show.
 *
 * @throws CommandError for a word of another kind, with the command that takes it.
 */
export function wordFor(command: string, taken: readonly WordKind[], word: string): string {
  const kind = kindOfWord(word);
  if (kind === undefined || taken.includes(kind)) return word;
  const list = taken.length === 0 ? `no ${kind}` : taken.map((one) => kindText[one]).join(' or ');
  throw new CommandError(`curtail ${command} takes ${list}, and ${word} is ${kindText[kind]}`, {
    next: stepFor(kind, command, shellWord(word)),
  });
}

/** The queue that a command is about, as a word; nothing else can be meant by it. */
export const queueWord = (command: string) => (text: string) =>
  lowerCase(queueName(wordFor(command, ['queue'], text)));

/** A queue, the same as `--queue`. */
export const queueArgument = (command: string, meaning: string): Argument =>
  new Argument('[queue]', `${meaning}; the same as --queue`).argParser(queueWord(command));

/** Configurations, the same as `-f`. Another word than a file is named for what it is. */
export const filesArgument = (command: string): Argument =>
  new Argument('[files...]', 'configurations, the same as -f; or name them with -f').argParser(
    (word, files: readonly string[] | undefined) => [...(files ?? []), wordFor(command, ['file'], word)],
  );

const runName = nameArgument('enforcement', 'plan');

/** A run by its id, or the run of a queue. */
export const runWord = (command: string) => (text: string) => {
  const word = wordFor(command, ['enforcement', 'queue'], text);
  return kindOfWord(word) === 'queue' ? `queue/${lowerCase(queueName(word))}` : runName(word);
};

/** What arguments of runs say. */
export const runMeaning = 'the id of a run, or a unique prefix of it; or a queue, for the run it has now';

/** Formats of configurations, equal to `configurationFormats` of the contracts, which a help text should not have to load. */
export const formats = ['yunikorn', 'capacity-scheduler', 'ytsaurus'] as const;
