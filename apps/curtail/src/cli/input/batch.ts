import { InputError } from '#contracts';
import type { Invocation } from '../invocation/invocation.js';
import { write } from '../output/print.js';
import { startProgress } from '../output/progress.js';
import { asInputError, CommandError } from '../terminal/errors.js';
import { type Line, readLines } from './lines.js';
import { inputLimits, openSource } from './source.js';

/** Lines are written in pieces of about this size: a write per line would cost more than a small plan. */
const pieceLength = 64 * 1024;

/**
 * Reads one JSON text per line and writes one line for each, in the same order. A line that cannot be used gives
 * `{"error": {"message", "path"}}`, and the batch continues. docs/reference/snapshot.md, "Batch"
 */
export async function runBatch(
  invocation: Invocation,
  path: string,
  answer: (line: string) => string,
): Promise<undefined> {
  const source = await openSource(path, invocation.terminal);
  const progress = await startProgress(invocation, source.name, source.size);
  let pending = '';
  let refused = 0;
  let lines = 0;
  try {
    for await (const line of readLines(source.stream)) {
      const answered = answerOne(line, answer);
      if (answered.refused) refused++;
      lines++;
      pending += `${answered.text}\n`;
      if (pending.length >= pieceLength) {
        await write(invocation, pending);
        pending = '';
        progress.update(line.bytes);
      }
    }
  } finally {
    progress.stop();
    if (pending !== '') await write(invocation, pending);
  }
  if (refused > 0)
    invocation.report(`${refused} of ${lines} lines could not be used; the output has their errors instead`);
}

function answerOne({ text }: Line, answer: (line: string) => string): { text: string; refused: boolean } {
  try {
    if (text === undefined)
      throw new InputError('', `a line has at most ${inputLimits.lineBytes} bytes; this one is longer`);
    return { text: answer(text), refused: false };
  } catch (error) {
    const fault = asInputError(error);
    if (fault === undefined) throw error;
    const { message, path } = fault;
    return { text: JSON.stringify({ error: { message, path } }), refused: true };
  }
}

/** Exactly one of several ways to name the input. */
export function eitherOf<T>(...ways: [string, T | undefined][]): void {
  const given = ways.filter(([, value]) => value !== undefined);
  if (given.length === 1) return;
  const names = ways.map(([name]) => name);
  const problem = given.length === 0 ? 'no input' : 'more than one input';
  throw new CommandError(`${problem}: give either ${names.slice(0, -1).join(', ')} or ${names.at(-1)}`);
}
