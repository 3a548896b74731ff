import { type ConfigurationFormat, didYouMean } from '@curtail/contracts';
import { readApplicable } from '../input/configuration.js';
import { configurationFiles } from '../input/configuration-files.js';
import type { Invocation } from '../invocation/invocation.js';
import { print } from '../output/print.js';
import { problemText, writeErrors } from '../output/validation.js';
import { whatIfLines } from '../output/what-if-lines.js';
import { zoneLines } from '../output/zone-lines.js';
import { clientOf } from '../server/client.js';
import { CommandError } from '../terminal/errors.js';
import { type ExitStatus, exitStatus } from '../terminal/terminal.js';

interface WhatIfOptions {
  /** Files and folders, `-` for standard input. */
  file?: string[];
  format?: ConfigurationFormat;
  allowUnknown?: boolean;
  queue?: string;
  /** `memory=120G` */
  max?: string[];
  partition: string;
}

type Alternative =
  | { name: string; configuration: string; format: ConfigurationFormat; allowUnknown: boolean }
  | { name: string; quotas: { queue: string; max: Record<string, string> }[] };

export async function run(invocation: Invocation, options: WhatIfOptions): Promise<ExitStatus> {
  const alternatives = await alternativesOf(invocation, options);
  if (alternatives === undefined) return exitStatus.failed;
  const answer = await clientOf(invocation).post('/v1/what-if', {
    body: { partition: options.partition, alternatives },
  });
  await print(invocation, {
    value: answer,
    table: () => {
      const lines = whatIfLines(answer, invocation);
      return [...lines, ...zoneLines(lines, invocation)];
    },
    names: () => answer.alternatives.map(({ name }) => `alternative/${name}`),
  });
  for (const { name, errors = [], warnings = [] } of answer.alternatives) {
    writeErrors(invocation.terminal, name, errors);
    for (const { path, ...warning } of warnings) {
      const place = options.queue === undefined ? path : invocation.optionOf(path);
      invocation.report(`warning: ${problemText(name, { ...warning, path: place })}`);
    }
  }
  invocation.report('nothing was changed');
  if (answer.alternatives.some(({ errors }) => errors !== undefined)) return exitStatus.failed;
  return answer.alternatives.some(({ victims = 0 }) => victims > 0) ? exitStatus.wouldEvict : exitStatus.done;
}

/** Undefined, with all errors printed, if a file is refused here already. */
async function alternativesOf(
  invocation: Invocation,
  { file, format, allowUnknown = false, queue, max, partition }: WhatIfOptions,
): Promise<Alternative[] | undefined> {
  if ((file === undefined) === (queue === undefined)) {
    throw new CommandError('give either files with -f, or --queue with --max');
  }
  if (queue !== undefined) {
    const limits = limitsOf(max);
    const name = Object.entries(limits).map(([type, quantity]) => `${type}=${quantity}`);
    return [{ name: `${queue} ${name.join(' ')}`, quotas: [{ queue, max: limits }] }];
  }
  if (max !== undefined) throw new CommandError('--max goes with --queue');
  const alternatives: Alternative[] = [];
  let refused = false;
  for (const path of await configurationFiles(file ?? [])) {
    const read = await readApplicable(path, invocation, {
      partition,
      allowUnknown,
      ...(format === undefined ? {} : { format }),
    });
    if (read === undefined) refused = true;
    else if (!read.partitions.includes(partition)) {
      throw new CommandError(
        `${path} has no partition ${partition}; it has ${read.partitions.join(', ')}${didYouMean(partition, read.partitions)}`,
      );
    } else alternatives.push({ name: path, configuration: read.text, format: read.format, allowUnknown });
  }
  return refused ? undefined : alternatives;
}

function limitsOf(max: readonly string[] = []): Record<string, string> {
  if (max.length === 0) {
    throw new CommandError('--queue needs a limit to try: add --max, such as --max memory=120G');
  }
  const limits = new Map<string, string>();
  for (const limit of max) {
    const at = limit.indexOf('=');
    if (at < 1 || at === limit.length - 1) {
      throw new CommandError(
        `--max ${limit} is not a limit; write a type and a quantity, such as memory=120G`,
      );
    }
    const type = limit.slice(0, at);
    if (limits.has(type)) throw new CommandError(`--max names ${type} twice; give one limit for it`);
    limits.set(type, limit.slice(at + 1));
  }
  return Object.fromEntries(limits);
}
