import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import {
  type ConfigurationOptions,
  type ConfigurationResult,
  joinYarnSite,
  readConfiguration,
  readEntries,
} from '#configuration';
import { type ConfigurationFormat, freezeProperty } from '#contracts';
import type { Invocation } from '../invocation/invocation.js';
import { allowUnknownStep, problemText, writeErrors } from '../output/validation.js';
import { CommandError } from '../terminal/errors.js';
import type { Terminal } from '../terminal/terminal.js';
import { explained, inputLimits, readText } from './source.js';

export async function readConfigurationFile(
  file: string,
  terminal: Terminal,
  options: ConfigurationOptions = {},
): Promise<ConfigurationResult> {
  const text = await readText(file, terminal, inputLimits.configurationBytes);
  return read(file, text, options);
}

async function read(file: string, text: string, options: ConfigurationOptions): Promise<ConfigurationResult> {
  const windows = text.includes(freezeProperty) ? await import('./check-window.js') : {};
  const all = { ...withFormatOf(file, options), ...windows };
  const byEntries = isLong(text) ? readEntries({ text }, all) : undefined;
  return byEntries?.result ?? readConfiguration(text, all);
}

const longCharacters = 4 * 1024 * 1024;

/** Whether a configuration takes seconds to read, and more to put in force. */
export const isLong = (text: string): boolean => text.length >= longCharacters;

/** The size of a long configuration, for messages. */
export const megabytesOf = (text: string): string => `${(text.length / 2 ** 20).toFixed(1)} MB`;

/** The format that the name of a file implies; otherwise it is detected from the content. */
function withFormatOf(file: string, options: ConfigurationOptions): ConfigurationOptions {
  return options.format === undefined && /\.xml$/i.test(file)
    ? { ...options, format: 'capacity-scheduler' }
    : options;
}

/** `--yarn-site`: the second file of YARN, which must differ from the first. */
export async function readYarnSite(
  file: string | undefined,
  beside: readonly string[],
  terminal: Terminal,
): Promise<Pick<ConfigurationOptions, 'yarnSite'>> {
  if (file === undefined) return {};
  if (file === '-' && beside.includes('-')) {
    throw new CommandError('only one of the two can be standard input; name a file for the other');
  }
  return {
    yarnSite: {
      text: await readText(file, terminal, inputLimits.configurationBytes),
      file: file === '-' ? '<stdin>' : file,
    },
  };
}

/** @throws CommandError if none of the configurations is one that a `yarn-site.xml` belongs to. */
export function assertForYarnSite(
  yarnSite: string | undefined,
  read: readonly Pick<ConfigurationResult, 'format'>[],
): void {
  if (yarnSite !== undefined && read.every(({ format }) => format !== 'capacity-scheduler')) {
    throw new CommandError('--yarn-site goes with a capacity-scheduler.xml; leave it out here');
  }
}

/** A configuration ready to be sent. */
export interface Applicable {
  text: string;
  format: ConfigurationFormat;
  /** Its partitions, in lower case. */
  partitions: string[];
}

/** What settings of the server may allow is not refused here: the server decides. */
const asAllowed = { guaranteedEqualsMax: 'allow' } as const;

/**
 * Undefined, with all errors printed, if it is already refused here.
 *
 * @param onRefused gets these errors, too.
 */
export async function readApplicable(
  file: string,
  invocation: Invocation,
  options: ConfigurationOptions,
  onRefused: (errors: ConfigurationResult['errors']) => void = () => {},
): Promise<Applicable | undefined> {
  const { terminal } = invocation;
  const text = await readText(file, terminal, inputLimits.configurationBytes);
  if (isLong(text)) invocation.report(`reading ${file}: ${megabytesOf(text)} may take some seconds`);
  const { errors, format, partitions, allowUnknownHelps } = await read(file, text, {
    ...options,
    ...asAllowed,
  });
  writeErrors(terminal, file, errors);
  if (allowUnknownHelps) invocation.report(`next: ${allowUnknownStep}`);
  if (errors.length > 0) {
    onRefused(errors);
    return undefined;
  }
  assertForYarnSite(options.yarnSite?.file, [{ format }]);
  return {
    text: options.yarnSite ? joinYarnSite(text, options.yarnSite) : text,
    format,
    partitions: partitions.map(({ name }) => name.toLowerCase()),
  };
}

/**
 * Undefined, with all errors printed, if it is refused.
 *
 * @param options `partition`: the name of the partition of a format that has none.
 */
export async function readValidConfiguration(
  file: string,
  invocation: Invocation,
  options: Pick<ConfigurationOptions, 'partition' | 'allowUnknown' | 'yarnSite'>,
): Promise<ConfigurationResult | undefined> {
  const { terminal } = invocation;
  const result = await readConfigurationFile(file, terminal, { ...options, ...asAllowed });
  writeErrors(terminal, file, result.errors);
  if (result.allowUnknownHelps) invocation.report(`next: ${allowUnknownStep}`);
  for (const warning of options.allowUnknown ? result.warnings : []) {
    if (warning.code === 'unknown-key') invocation.report(`warning: ${problemText(file, warning)}`);
  }
  return result.valid ? result : undefined;
}

const isConfiguration = (name: string) =>
  !name.startsWith('.') && (/\.(ya?ml|json|yson)$/i.test(name) || /^capacity-scheduler\.xml$/i.test(name));

/**
 * The files behind paths, each once; `-` is standard input. Of a folder its YAML, JSON and YSON files and its capacity-scheduler.xml, by name,
 * without the folders in it.
 *
 * @throws CommandError for a path that cannot be read or occurs twice, and for a folder without such files.
 */
export async function configurationFiles(paths: readonly string[]): Promise<string[]> {
  const files: string[] = [];
  for (const path of paths) {
    for (const file of await filesAt(path)) {
      if (files.includes(file)) throw new CommandError(`${file} is given twice; name it once`);
      files.push(file);
    }
  }
  return files;
}

async function filesAt(path: string): Promise<string[]> {
  if (path === '-' || !(await explained(path, stat(path))).isDirectory()) return [path];
  const entries = await explained(path, readdir(path, { withFileTypes: true }));
  const names = entries.filter((entry) => !entry.isDirectory() && isConfiguration(entry.name));
  if (names.length === 0)
    throw new CommandError(
      `the folder ${path} has no configuration: no .yaml, .yml, .json or .yson file, and no capacity-scheduler.xml`,
    );
  return names.map(({ name }) => join(path, name)).sort();
}
