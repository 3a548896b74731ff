import { type ConfigurationFormat, didYouMean } from '#contracts';
import type { Invocation } from '../invocation/invocation.js';
import { CommandError } from '../terminal/errors.js';
import { type Applicable, configurationFiles, readApplicable, readYarnSite } from './configuration.js';
import { inputLimits, readText } from './source.js';

export interface PartOptions {
  /** Files and folders, `-` for standard input. */
  file: string[];
  partition?: string;
  /** The file is the entry of this queue alone. */
  queue?: string;
  format?: ConfigurationFormat;
  yarnSite?: string;
  allowUnknown?: boolean;
}

/** A partition of a file, or one queue of it. */
export interface Part {
  file: string;
  read: Applicable;
  partition: string;
  queue?: string;
  allowUnknown: boolean | undefined;
}

/** All files are read before anything is sent. Undefined, with all errors printed, if one of them is refused already here. */
export async function readInputParts(
  invocation: Invocation,
  options: PartOptions,
): Promise<Part[] | undefined> {
  const { terminal } = invocation;
  const files = await configurationFiles(options.file);
  if (options.queue !== undefined) return [await readEntry(invocation, options.queue, files, options)];
  if (options.yarnSite !== undefined && files.length > 1)
    throw new CommandError(
      '--yarn-site goes with a single capacity-scheduler.xml; apply the files one by one',
    );
  const settings = {
    allowUnknown: options.allowUnknown ?? false,
    ...(options.format === undefined ? {} : { format: options.format }),
    ...(options.partition === undefined ? {} : { partition: options.partition }),
    ...(await readYarnSite(options.yarnSite, files, terminal)),
  };
  const all: Part[] = [];
  let refused = false;
  for (const file of files) {
    const read = await readApplicable(file, invocation, settings);
    if (read === undefined) refused = true;
    else
      all.push(
        ...read.partitions.map((partition) => ({
          file,
          read,
          partition,
          allowUnknown: options.allowUnknown,
        })),
      );
  }
  if (refused) return undefined;
  assertDifferent(all);
  return chosen(all, options.partition, files.length);
}

/** A configuration is the whole one of its partition: of two, one would be lost. */
function assertDifferent(parts: readonly Part[]): void {
  const fileOf = new Map<string, string>();
  for (const { partition, file } of parts) {
    const other = fileOf.get(partition);
    if (other !== undefined)
      throw new CommandError(
        `${other} and ${file} both configure partition ${partition}, and only one can be in force; leave one out`,
      );
    fileOf.set(partition, file);
  }
}

/** The parts for the named partition, or all. */
function chosen(parts: readonly Part[], wanted: string | undefined, files: number): Part[] {
  if (wanted === undefined) return [...parts];
  const found = parts.filter(({ partition }) => partition === wanted);
  if (found.length > 0) return found;
  const known = parts.map(({ partition }) => partition);
  const names = `${known.join(', ')}${didYouMean(wanted, known)}`;
  throw new CommandError(
    files === 1
      ? `the file has no partition ${wanted}; it has ${names}`
      : `the files have no partition ${wanted}; they have ${names}`,
  );
}

/** The server checks the entry, as a part of the configuration in force. */
async function readEntry(
  invocation: Invocation,
  queue: string,
  files: readonly string[],
  { partition, format = 'yunikorn', yarnSite, allowUnknown }: PartOptions,
): Promise<Part> {
  const [file] = files;
  if (file === undefined || files.length > 1) {
    throw new CommandError(`--queue takes one file, with the entry of ${queue}; apply the queues one by one`);
  }
  if (format !== 'yunikorn' || yarnSite !== undefined) {
    throw new CommandError('--queue is for queues.yaml alone; apply other formats whole, without it');
  }
  const text = await readText(file, invocation.terminal, inputLimits.configurationBytes);
  if (text.trim() === '')
    throw new CommandError(`${file} is empty; write the entry of ${queue}, as it is under queues`);
  return {
    file,
    read: { text, format, partitions: [] },
    partition: partition ?? invocation.partition,
    queue,
    allowUnknown,
  };
}
