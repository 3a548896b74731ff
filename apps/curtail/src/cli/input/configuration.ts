import { type ConfigurationOptions, type ConfigurationResult, readConfiguration } from '@curtail/contracts';
import type { Invocation } from '../invocation.js';
import { problemText } from '../output/validation.js';
import type { Terminal } from '../terminal.js';
import { inputLimits } from './limits.js';
import { readText } from './source.js';

export async function readConfigurationFile(
  file: string,
  terminal: Terminal,
  options: ConfigurationOptions = {},
): Promise<ConfigurationResult> {
  return readConfiguration(await readText(file, terminal, inputLimits.configurationBytes), options);
}

/** A configuration as it is to be sent. */
export interface Applicable {
  text: string;
  /** The partitions in it, in lower case. */
  partitions: string[];
}

/** Undefined, with all that is wrong told as messages, if it is refused already here. */
export async function readApplicable(file: string, terminal: Terminal): Promise<Applicable | undefined> {
  const text = await readText(file, terminal, inputLimits.configurationBytes);
  const { errors, partitions } = readConfiguration(text);
  for (const error of errors) terminal.stderr.write(`error: ${problemText(file, error)}\n`);
  return errors.length > 0
    ? undefined
    : { text, partitions: partitions.map(({ name }) => name.toLowerCase()) };
}

/** Undefined, with all that is wrong told as messages, if it is refused. */
export async function readValidConfiguration(
  file: string,
  { terminal }: Invocation,
): Promise<ConfigurationResult | undefined> {
  const result = await readConfigurationFile(file, terminal);
  for (const error of result.errors) terminal.stderr.write(`error: ${problemText(file, error)}\n`);
  return result.valid ? result : undefined;
}
