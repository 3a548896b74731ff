import { diffConfigurations } from '@curtail/configuration';
import { CommandError } from '../errors.js';
import { readValidConfiguration } from '../input/configuration.js';
import type { Invocation } from '../invocation.js';
import { differenceLines } from '../output/difference-lines.js';
import { print } from '../output/print.js';
import { type ExitStatus, exitStatus } from '../terminal.js';

export async function run(invocation: Invocation, oldFile: string, newFile: string): Promise<ExitStatus> {
  if (oldFile === '-' && newFile === '-') {
    throw new CommandError('only one of the two can be standard input; name a file for the other');
  }
  const before = await readValidConfiguration(oldFile, invocation);
  const after = await readValidConfiguration(newFile, invocation);
  if (before === undefined || after === undefined) return exitStatus.failed;
  const difference = diffConfigurations(before, after);
  await print(invocation, {
    value: difference,
    table: () => differenceLines(difference, invocation),
    names: () => difference.queues.map(({ path }) => `queue/${path}`),
  });
  return exitStatus.done;
}
