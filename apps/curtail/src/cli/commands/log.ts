import { type Command, InvalidArgumentError, Option } from 'commander';
import { instantArgument, lengths } from '../input/arguments.js';
import { example, type Register } from './command.js';

/** The options of `curtail verify` and its alias `curtail log verify`. */
const verifyOptions = (command: Command): Command =>
  command
    .option('--archive <folder>', 'also compare the files of this archive')
    .option('--offline', 'compare the archive alone, with the chains in its files; needs no service')
    .option('--checkpoints <file>', 'also compare the chains with the signed checkpoints in this file')
    .option('--key <file>', 'the public key of the signatures, as JSON Web Key or in PEM')
    .option(
      '--audit <file>',
      'check the signatures of this file of `curtail audit -o jsonl` instead; needs no service',
    )
    .option(
      '--newer-than <time>',
      `with --audit: refuse a file that was exported before this time, or longer ago than this: ${lengths}`,
      instantArgument,
    );

/** `curtail verify`: compares the log with its hash chains. docs/how-to/verify.md */
export const verify: Register = (program, act) => {
  example(
    verifyOptions(
      program
        .command('verify')
        .summary('check that no event of the log was changed, removed, added or moved')
        .description(
          'Compares each event of the log with the hash chain of its partition, and names each one that was changed, removed, added or moved: exit status 1. Events that were recorded in the last seconds are not in a chain yet.',
        ),
    ).action(act(async () => (await import('../actions/verify.js')).verify)),
    'curtail verify',
    'curtail verify --archive /var/lib/curtail/archive',
    'curtail verify --archive /mnt/archive --offline --checkpoints checkpoints.jsonl --key signing.pub.pem',
    'curtail verify --audit audit.jsonl --key signing.pub.pem --newer-than 1d',
  );
};

/** A day means its beginning in UTC, as months of the log do. */
const dayOrInstant = (text: string) => {
  if (/^\d{4}-\d\d-\d\d$/.test(text)) return instantArgument(`${text}T00:00:00Z`);
  try {
    return instantArgument(text);
  } catch {
    throw new InvalidArgumentError(`Write a day such as 2026-10-01, a time, or how long ago: ${lengths}.`);
  }
};

/** `curtail log`: archives of the log. docs/reference/cli.md */
export const log: Register = (program, act) => {
  const log = program
    .command('log')
    .summary('archive the log, and verify archives')
    .description('Moves old months of the log out of the database into files, and checks such files.');
  example(
    log
      .command('archive')
      .summary('move old months of the log into files')
      .description(
        'Has the console write the months of the log that end before a time into files below its CURTAIL_ARCHIVE_DIR, read them back, and take them out of the database. Refused while a reader still needs them. The same command resumes one that was interrupted.',
      )
      .addOption(
        new Option('--before <time>', 'months that end at this day or time, or this long ago')
          .argParser(dayOrInstant)
          .makeOptionMandatory(),
      )
      .option('--to <folder>', 'a folder below that of the console')
      .option('--dry-run', 'only show what would be archived, and what prevents it')
      .action(act(async () => (await import('../actions/log.js')).archive)),
    'curtail log archive --before 2026-07-01 --dry-run',
    'curtail log archive --before 180d',
  );
  example(
    verifyOptions(
      log
        .command('verify')
        .argument('[folder]', 'an archive that is compared alone; short for --archive <folder> --offline')
        .summary('the same as curtail verify')
        .description(
          'Another name of `curtail verify`. With a folder alone it reads all files of an archive, and needs no service.',
        ),
    ).action(act(async () => (await import('../actions/verify.js')).verifyAlias)),
    'curtail log verify /var/lib/curtail/archive',
  );
};
