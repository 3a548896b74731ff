import type { Register } from './command.js';
import { example } from './online.js';

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
      .action(act(async () => (await import('../actions/webhook.js')).test)),
    'curtail webhook test',
  );
  example(
    webhook
      .command('resend')
      .summary('resend messages that were given up')
      .description(
        'Resends all messages that were given up after their last attempt, with their ids. Messages are kept for 30 days.',
      )
      .action(act(async () => (await import('../actions/webhook.js')).resend)),
    'curtail webhook resend',
  );
};
