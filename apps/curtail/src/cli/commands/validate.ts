import type { ConfigurationOptions, ConfigurationResult } from '@curtail/contracts';
import { Option } from 'commander';
import { CommandError } from '../errors.js';
import type { Invocation } from '../invocation.js';
import { exitStatus } from '../terminal.js';
import type { Register } from './command.js';

interface ValidateOptions {
  batch?: string;
  format: 'yunikorn';
  snapshot?: string;
  delayInheritance: boolean;
}

/** `curtail validate`: what is wrong with a configuration, and where. docs/reference/cli.md */
export const validate: Register = (program, act) => {
  program
    .command('validate')
    .argument('[files...]', 'configurations')
    .summary('check configurations')
    .description('Checks configurations: every problem with its line and column, and what would be right.')
    .option('--batch <file>', 'one {"format", "config"} a line as JSON; one result a line comes out')
    .addOption(
      new Option('--format <format>', 'what the files are written for')
        .choices(['yunikorn'])
        .default('yunikorn'),
    )
    .option('--snapshot <file>', 'a cluster snapshot: warn of resource types that nothing in it has')
    .option('--no-delay-inheritance', 'queues do not take over the delay of the queue above')
    .addHelpText(
      'after',
      '\nExample:\n  curtail validate queues.yaml\n  curtail validate staging/*.yaml -o json',
    )
    .action(act(validateCommand));
};

async function validateCommand(invocation: Invocation, files: string[], options: ValidateOptions) {
  if ((files.length === 0) === (options.batch === undefined)) {
    throw new CommandError('give either the files to check, or --batch FILE');
  }
  const settings = await settingsOf(options, invocation);
  if (options.batch !== undefined) {
    const { readConfigurationLine } = await import('@curtail/contracts');
    const { runBatch } = await import('../batch.js');
    const { exactJson } = await import('../output/exact-json.js');
    const { validationJson } = await import('../output/validation.js');
    return runBatch(invocation, options.batch, (line) =>
      exactJson(validationJson(readConfigurationLine(line, settings))),
    );
  }
  const { readConfigurationFile } = await import('../input/configuration.js');
  const read: { file: string; result: ConfigurationResult }[] = [];
  for (const file of files) {
    read.push({ file, result: await readConfigurationFile(file, invocation.terminal, settings) });
  }
  const { print } = await import('../output/print.js');
  const { validationJson, validationLines } = await import('../output/validation.js');
  const [only] = read;
  await print(invocation, {
    value:
      read.length === 1 && only !== undefined
        ? validationJson(only.result)
        : read.map(({ file, result }) => ({ file, ...validationJson(result) })),
    table: () => validationLines(read, invocation),
    names: () => read.flatMap(({ result }) => result.queues.map(({ path }) => `queue/${path}`)),
  });
  return read.every(({ result }) => result.valid) ? exitStatus.done : exitStatus.failed;
}

async function settingsOf(options: ValidateOptions, { terminal }: Invocation): Promise<ConfigurationOptions> {
  const { delayInheritance, format, snapshot } = options;
  if (snapshot === undefined) return { format, delayInheritance };
  const { resourceTypesOf } = await import('../input/resource-types.js');
  const { withJsonFile } = await import('../input/json.js');
  return {
    format,
    delayInheritance,
    knownResourceTypes: await withJsonFile(snapshot, terminal, resourceTypesOf),
  };
}
