import { type ConfigurationResult, diffConfigurations } from '#configuration';
import { readValidConfiguration } from '../input/configuration.js';
import type { Invocation } from '../invocation/invocation.js';
import { differenceLines } from '../output/difference-lines.js';
import { print } from '../output/print.js';
import { clientOf } from '../server/client.js';
import { contentOf, readVersion } from '../server/read-version.js';
import { CommandError } from '../terminal/errors.js';
import { type ExitStatus, exitStatus } from '../terminal/terminal.js';

export async function run(
  invocation: Invocation,
  old: string,
  next: string,
  { partition, allowUnknown = false }: { partition: string; allowUnknown?: boolean },
): Promise<ExitStatus> {
  if (old === '-' && next === '-') {
    throw new CommandError('only one of the two can be standard input; name a file for the other');
  }
  const sides: (ConfigurationResult | undefined)[] = [];
  for (const side of [old, next]) sides.push(await read(invocation, side, { partition, allowUnknown }));
  const [before, after] = sides;
  if (before === undefined || after === undefined) return exitStatus.failed;
  // A version is of one partition: compare it with that partition of a file.
  const onlyOne = [old, next].some(isVersion);
  const difference = diffConfigurations(
    onlyOne ? partOf(before, partition) : before,
    onlyOne ? partOf(after, partition) : after,
  );
  await print(invocation, {
    value: difference,
    table: () => differenceLines(difference, invocation),
    names: () => difference.queues.map(({ path }) => `queue/${path}`),
  });
  return exitStatus.done;
}

/** A number is a version; `./17` is the file with that name. */
const isVersion = (side: string): boolean => /^\d{1,9}$/.test(side);

async function read(
  invocation: Invocation,
  side: string,
  options: { partition: string; allowUnknown: boolean },
) {
  if (!isVersion(side)) return readValidConfiguration(side, invocation, options);
  return contentOf(await readVersion(clientOf(invocation), options.partition, side));
}

function partOf(result: ConfigurationResult, partition: string): ConfigurationResult {
  const isOwn = (name: string) => name.toLowerCase() === partition;
  const partitions = result.partitions.filter(({ name }) => isOwn(name));
  if (partitions.length === 0) {
    throw new CommandError(
      `the file has no partition ${partition}; it has ${result.partitions.map(({ name }) => name).join(', ')}: name one with --partition`,
    );
  }
  return { ...result, partitions, queues: result.queues.filter((queue) => isOwn(queue.partition)) };
}
