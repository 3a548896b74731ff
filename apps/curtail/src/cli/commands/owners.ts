import { Argument } from 'commander';
import { instantArgument, nameArgument, wholeNumberArgument } from '../input/arguments.js';
import { example, partitionOption, type Register } from './command.js';

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
      .argument('<allocation>', 'the allocation', (text: string) => nameArgument('allocation')(text))
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
        instantArgument,
      )
      .option('--id <id>', 'your own id of the answer: however often it is sent, it counts once')
      .action(act(() => import('../actions/answer.js'))),
    'curtail answer extend train-17',
    'curtail answer checkpointed train-17 --at 2m',
    'curtail answer ready train-17',
  );
};

/** `curtail links`: by which an owner reads why one allocation was evicted, without a token. docs/how-to/secure.md */
export const links: Register = (program, act) => {
  const links = program
    .command('links')
    .summary('make or revoke links for owners')
    .description(
      'Links by which the owner of an allocation reads why it was evicted or spared, without a token.',
    );
  example(
    links
      .command('make')
      .argument('<allocation>', 'the allocation', nameArgument('allocation'))
      .summary('make a link for the owner of an allocation')
      .description('Makes a link to the explanation of one allocation. Anyone with the link can read it.')
      .addOption(partitionOption())
      .option('--days <number>', 'how long the link works; default: 7', wholeNumberArgument(1, 30))
      .action(act(async () => (await import('../actions/owners.js')).make)),
    'curtail links make train-17 --days 2',
  );
  example(
    links
      .command('revoke')
      .argument('<allocation>', 'the allocation', nameArgument('allocation'))
      .summary('revoke all links for the owner of an allocation')
      .description('Revokes all existing links to the explanation of one allocation.')
      .addOption(partitionOption())
      .action(act(async () => (await import('../actions/owners.js')).revoke)),
    'curtail links revoke train-17',
  );
};

/** `curtail webhook`: messages about events that need an operator. docs/how-to/webhook.md */
export const webhook: Register = (program, act) => {
  const webhook = program
    .command('webhook')
    .summary('test the webhook, or resend messages')
    .description('The webhook that gets messages about events that need an operator.');
  example(
    webhook
      .command('test')
      .summary('send a test message')
      .description(
        'Sends one signed message of type `test` and waits for the answer. Exit status 2 if the receiver did not accept it.',
      )
      .action(act(async () => (await import('../actions/owners.js')).test)),
    'curtail webhook test',
  );
  example(
    webhook
      .command('resend')
      .summary('resend messages that were given up')
      .description(
        'Resends all messages that were given up after their last attempt, with their ids. Messages are kept for 30 days.',
      )
      .action(act(async () => (await import('../actions/owners.js')).resend)),
    'curtail webhook resend',
  );
};
