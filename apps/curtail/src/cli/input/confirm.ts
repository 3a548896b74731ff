import { CommandError } from '../errors.js';
import type { Invocation } from '../invocation.js';
import { readLines } from './lines.js';

/**
 * Asks before something is changed that cannot be taken back.
 *
 * @param yes the answer was given with the command.
 * @throws CommandError unless the answer is yes; also without a terminal.
 */
export async function confirm(
  { terminal: { stdin, stdout, stderr } }: Invocation,
  question: string,
  yes: boolean | undefined,
): Promise<void> {
  if (yes) return;
  if (!stdout.isTTY) throw new CommandError(`${question} Add --yes to confirm.`);
  stderr.write(`${question} [y/N] `);
  for await (const { text } of readLines(stdin)) {
    if (/^y(es)?$/i.test((text ?? '').trim())) return;
    break;
  }
  throw new CommandError('nothing was changed');
}
