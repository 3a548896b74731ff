import type { Register } from './command.js';
import { example } from './online.js';

/** `curtail webhook`: messages about events that need an operator. docs/how-to/webhook.md */
export const webhook: Register = (program, act) => {
  const webhook = program
    .command('webhook')
    .summary('test the webhook, send messages again')
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
      .summary('send messages again that were given up')
      .description(
        'Sends all messages again that were given up after their last attempt, with the ids that they had. Messages are kept for 30 days.',
      )
      .action(act(async () => (await import('../actions/webhook.js')).resend)),
    'curtail webhook resend',
  );
};
