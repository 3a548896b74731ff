import type { Invocation } from '../invocation/invocation.js';
import { CommandError } from '../terminal/errors.js';
import { safeLine } from '../terminal/printable.js';
import { readLines } from './lines.js';

/**
 * Asks for confirmation of a change that cannot be undone.
 *
 * @param yes the command line already confirms.
 * @throws CommandError unless the answer is yes; also without a terminal.
 */
export async function confirm(
  { terminal: { stdin, stdout, stderr } }: Invocation,
  question: string,
  yes: boolean | undefined,
): Promise<void> {
  if (yes) return;
  if (!stdout.isTTY) throw new CommandError(`${question} Add --yes to confirm.`);
  stderr.write(`${safeLine(question)} [y/N] `);
  for await (const { text } of readLines(stdin)) {
    if (/^y(es)?$/i.test((text ?? '').trim())) return;
    break;
  }
  throw new CommandError('nothing was changed');
}
