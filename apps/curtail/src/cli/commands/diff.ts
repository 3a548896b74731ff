import type { Invocation } from '../invocation.js';
import { exitStatus } from '../terminal.js';
import type { Register } from './command.js';

/** `curtail diff`: what one configuration in place of another would change. docs/reference/cli.md */
export const diff: Register = (program, act) => {
  program
    .command('diff')
    .argument('<old>', 'the configuration in force')
    .argument('<new>', 'the one to come')
    .summary('compare two configurations')
    .description(
      'Compares two configurations: what is raised and lowered, and which clocks start or are cancelled.',
    )
    .addHelpText('after', '\nExample:\n  curtail diff queues.yaml queues-next.yaml')
    .action(act(diffCommand));
};

async function diffCommand(invocation: Invocation, oldFile: string, newFile: string) {
  const { diffConfigurations } = await import('@curtail/contracts');
  const { readValidConfiguration } = await import('../input/configuration.js');
  const { CommandError } = await import('../errors.js');
  if (oldFile === '-' && newFile === '-') {
    throw new CommandError('only one of the two can be standard input; name a file for the other');
  }
  const before = await readValidConfiguration(oldFile, invocation);
  const after = await readValidConfiguration(newFile, invocation);
  if (before === undefined || after === undefined) return exitStatus.failed;
  const difference = diffConfigurations(before, after);
  const { print } = await import('../output/print.js');
  const { differenceLines } = await import('../output/difference-lines.js');
  await print(invocation, {
    value: difference,
    table: () => differenceLines(difference, invocation),
    names: () => difference.queues.map(({ path }) => `queue/${path}`),
  });
  return exitStatus.done;
}
