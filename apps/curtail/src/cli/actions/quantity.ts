import { readQuantityLine } from '#configuration';
import { parseQuantity } from '#contracts';
import { runBatch } from '../input/batch.js';
import type { Invocation } from '../invocation/invocation.js';
import { shownAmount } from '../output/amounts.js';
import { printLine } from '../output/print.js';
import { CommandError } from '../terminal/errors.js';
import { type ExitStatus, exitStatus } from '../terminal/terminal.js';

interface QuantityOptions {
  resource: string;
  batch?: string;
}

export async function run(
  invocation: Invocation,
  text: string | undefined,
  options: QuantityOptions,
): Promise<ExitStatus | undefined> {
  if ((text === undefined) === (options.batch === undefined)) {
    throw new CommandError('give either one quantity, or --batch FILE');
  }
  if (options.batch !== undefined) {
    return runBatch(
      invocation,
      options.batch,
      (line) => `{"value":${readQuantityLine(line, options.resource)}}`,
    );
  }
  const value = parseQuantity(text, options.resource);
  // The bare number unless a format was requested: scripts use it directly.
  const { format } = invocation;
  await printLine(
    invocation,
    invocation.formatGiven ? { value } : value,
    format === 'wide' ? `${value}  (${shownAmount(options.resource, value)})` : `${value}`,
    `${value}`,
  );
  return exitStatus.done;
}
