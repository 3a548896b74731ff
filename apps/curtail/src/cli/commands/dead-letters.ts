import type { Command } from 'commander';
import { instantArgument, lengths, wholeNumberArgument } from '../input/arguments.js';
import { example, type Register } from './command.js';

/** `curtail dead-letters`: messages that consumers could not handle. docs/reference/cli.md */
export const deadLetters: Register = (program, act) => {
  const command = program
    .command('dead-letters')
    .summary('list, retry or discard messages that could not be handled')
    .description(
      'Dead letters: events and messages that a consumer could not handle and put aside, so that it can continue.',
    );
  example(
    filtered(command.command('list', { isDefault: true }))
      .summary('list them, latest first')
      .description('Lists dead letters, latest first, with reasons and remedies.')
      .option('--limit <number>', 'at most this many', wholeNumberArgument(1, 100_000), 100)
      .action(act(async () => (await import('../actions/dead-letters.js')).list)),
    'curtail dead-letters list',
    'curtail dead-letters list --consumer timer --type QuotaChanged --since 2h',
  );
  example(
    command
      .command('show')
      .argument('<letter>', letterIs)
      .summary('show one with its event')
      .description('Shows one dead letter: reason, field, origin, attempts, event, and remedy.')
      .action(act(async () => (await import('../actions/dead-letters.js')).show)),
    'curtail dead-letters show timer/0197f3c2-8d1e-7b1a-9a53-1c8d2f4b6e70',
  );
  example(
    filtered(command.command('retry').argument('[letter]', letterIs))
      .summary('retry one, or all that match')
      .description(
        'Passes the events of dead letters to their consumers again, from the log, and waits for the result of a single one. Events that are not in the log cannot be retried.',
      )
      .option('--all', 'all that match')
      .option('-y, --yes', 'do not ask for confirmation')
      .action(act(async () => (await import('../actions/dead-letters.js')).retry)),
    'curtail dead-letters retry timer/0197f3c2-8d1e-7b1a-9a53-1c8d2f4b6e70',
    'curtail dead-letters retry --all --consumer timer --since 2h --yes',
  );
  example(
    filtered(command.command('discard').argument('[letter]', letterIs))
      .summary('discard one, or all that match')
      .description('Discards dead letters, on record: their consumers never handle the events.')
      .option('--all', 'all that match')
      .requiredOption('--reason <text>', 'the reason, recorded in the log')
      .option('-y, --yes', 'do not ask for confirmation')
      .action(act(async () => (await import('../actions/dead-letters.js')).discard)),
    'curtail dead-letters discard inventory/5d0f5a1e-6c0b-5c57-8a40-7ce1b0f0d3a2 --reason "listed since"',
  );
};

const letterIs = 'consumer and event, as `list -o name` prints them; a unique prefix of the event is enough';

const filtered = (command: Command): Command =>
  command
    .option('--consumer <name>', 'only of this consumer: timer, planner, executor, …')
    .option('--type <name>', 'only of this type of event: QuotaChanged, …')
    .option(
      '--since <time>',
      `only those put aside after this time, or this long ago: ${lengths}`,
      instantArgument,
    );
