import { type ConfigurationResult, diffConfigurations } from '#configuration';
import { didYouMean } from '#contracts';
import { assertForYarnSite, readValidConfiguration, readYarnSite } from '../input/configuration.js';
import type { Invocation } from '../invocation/invocation.js';
import { differenceLines } from '../output/difference-lines.js';
import { print } from '../output/print.js';
import { clientOf } from '../server/client.js';
import { contentOfVersion, readVersion } from '../server/read-version.js';
import { CommandError } from '../terminal/errors.js';
import { type ExitStatus, exitStatus } from '../terminal/terminal.js';

interface DiffOptions {
  /** Given: only this one of files, too. */
  partition?: string;
  allowUnknown?: boolean;
  yarnSite?: string;
}

export async function run(
  invocation: Invocation,
  old: string,
  next: string,
  { partition: named, allowUnknown = false, yarnSite }: DiffOptions,
): Promise<ExitStatus> {
  if (old === '-' && next === '-') {
    throw new CommandError('only one of the two can be standard input; name a file for the other');
  }
  const partition = named ?? invocation.partition;
  const options = {
    partition,
    allowUnknown,
    ...(await readYarnSite(yarnSite, [old, next], invocation.terminal)),
  };
  const sides: (ConfigurationResult | undefined)[] = [];
  for (const side of [old, next]) sides.push(await read(invocation, side, options));
  const [before, after] = sides;
  if (before === undefined || after === undefined) return exitStatus.failed;
  assertForYarnSite(yarnSite, [before, after]);
  // A version is of one partition: compare it with that partition of a file.
  const onlyOne = named !== undefined || [old, next].some(isVersion);
  const difference = diffConfigurations(
    onlyOne ? partOf(before, partition, old) : before,
    onlyOne ? partOf(after, partition, next) : after,
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
  return contentOfVersion(await readVersion(clientOf(invocation), options.partition, side));
}

/** @param side what it was read from: a version has its partition alone. */
function partOf(result: ConfigurationResult, partition: string, side: string): ConfigurationResult {
  const isOwn = (name: string) => name.toLowerCase() === partition;
  const partitions = result.partitions.filter(({ name }) => isOwn(name));
  if (partitions.length === 0) {
    const known = result.partitions.map(({ name }) => name);
    throw new CommandError(
      `${side} has no partition ${partition}; it has ${known.join(', ')}${didYouMean(partition, known) || ': name one with --partition'}`,
    );
  }
  return { ...result, partitions, queues: result.queues.filter((queue) => isOwn(queue.partition)) };
}
