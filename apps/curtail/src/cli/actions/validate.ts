import { type ConfigurationOptions, type ConfigurationResult, readConfigurationLine } from '#configuration';
import type { ConfigurationFormat, GuaranteedEqualsMax } from '#contracts';
import { runBatch } from '../input/batch.js';
import { readConfigurationFile, readYarnSite } from '../input/configuration.js';
import { withJsonFile } from '../input/json.js';
import { resourceTypesOf } from '../input/state-dump.js';
import type { Invocation } from '../invocation/invocation.js';
import { exactJson, print } from '../output/print.js';
import { allowUnknownStep, validationJson, validationLines } from '../output/validation.js';
import { CommandError } from '../terminal/errors.js';
import { type ExitStatus, exitStatus } from '../terminal/terminal.js';

interface ValidateOptions {
  file: string[];
  batch?: string;
  format?: ConfigurationFormat;
  yarnSite?: string;
  snapshot?: string;
  allowUnknown?: boolean;
  delayInheritance: boolean;
  guaranteedEqualsMax: GuaranteedEqualsMax;
}

export async function run(
  invocation: Invocation,
  named: string[],
  options: ValidateOptions,
): Promise<ExitStatus | undefined> {
  const files = [...named, ...options.file];
  if ((files.length === 0) === (options.batch === undefined)) {
    throw new CommandError('give either the files to check, or --batch FILE');
  }
  const settings = {
    ...(await settingsOf(options, invocation)),
    ...(await readYarnSite(options.yarnSite, files, invocation.terminal)),
  };
  if (options.batch !== undefined) {
    return runBatch(invocation, options.batch, (line) =>
      exactJson(validationJson(readConfigurationLine(line, settings))),
    );
  }
  const read: { file: string; result: ConfigurationResult }[] = [];
  for (const file of files) {
    read.push({ file, result: await readConfigurationFile(file, invocation.terminal, settings) });
  }
  const [only] = read;
  await print(invocation, {
    value:
      read.length === 1 && only !== undefined
        ? validationJson(only.result)
        : read.map(({ file, result }) => ({ file, ...validationJson(result) })),
    table: () => validationLines(read, invocation),
    names: () => read.flatMap(({ result }) => result.queues.map(({ path }) => `queue/${path}`)),
  });
  if (read.some(({ result }) => result.allowUnknownHelps)) invocation.report(`next: ${allowUnknownStep}`);
  return read.every(({ result }) => result.valid) ? exitStatus.done : exitStatus.failed;
}

async function settingsOf(options: ValidateOptions, { terminal }: Invocation): Promise<ConfigurationOptions> {
  const { delayInheritance, guaranteedEqualsMax, format, snapshot, allowUnknown = false } = options;
  const read = {
    delayInheritance,
    guaranteedEqualsMax,
    allowUnknown,
    ...(format === undefined ? {} : { format }),
  };
  if (snapshot === undefined) return read;
  return {
    ...read,
    knownResourceTypes: await withJsonFile(snapshot, terminal, resourceTypesOf),
  };
}
