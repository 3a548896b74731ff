import { ApiQuery } from '@nestjs/swagger';
import { z } from 'zod';
import { InputError } from '#contracts';
import { checkInput, recordedSender } from '#platform';
import type { Removes } from './submit/submission.js';

/* Query parameters that requests for configurations share. */

const senderName = z.object({ by: z.string().trim().min(1).max(200).optional() });

/** Who is recorded as the sender: the owner of the credential, where one is needed. @throws RefusedInput */
export function senderOf(by: string | undefined): string | undefined {
  const { by: claimed } = checkInput(senderName, { by });
  return recordedSender(claimed);
}

export const QueryOfSender = () =>
  ApiQuery({ name: 'by', required: false, description: 'The name of the sender, recorded in the history.' });

export const QueryOfDryRun = (effects = 'what would change, as for a configuration; nothing is kept') =>
  ApiQuery({ name: 'dryRun', required: false, type: Boolean, description: `\`true\`: ${effects}` });

/** `?dryRun` and `?dryRun=true`. */
export const isSet = (written: string | undefined): boolean => written === 'true' || written === '';

export const QueryOfRemoval = (what: 'the configuration' | 'the entry') =>
  ApiQuery({
    name: 'removeQueues',
    required: false,
    type: Boolean,
    description:
      `Absent: 409 with the queues that hold work, themselves or below, and that ${what} would remove, if there are any; work that is being evicted counts. ` +
      `\`false\`: 409 with all queues that ${what} would remove. \`true\`: they may go; with the \`version\` of the 409 as If-Match it confirms what that listed`,
  });

/** @throws InputError */
export function removesOf(written: string | undefined): Removes {
  if (written === undefined || written === '') return 'empty';
  if (written === 'true') return 'all';
  if (written === 'false') return 'none';
  throw new InputError('removeQueues', 'write true or false');
}
