import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { InputError } from '#contracts';
import { CommandError, FileError } from '../terminal/errors.js';
import type { Terminal } from '../terminal/terminal.js';
import { parseJsonText } from './json.js';
import { explained, inputLimits, readText } from './source.js';

/**
 * Saved answers of a cluster: of a folder, all files that end in .json.
 *
 * @param server what to ask for them, in messages.
 */
export async function savedAnswers(
  paths: readonly string[],
  terminal: Terminal,
  server: string,
): Promise<{ name: string; value: unknown }[]> {
  const answers: { name: string; value: unknown }[] = [];
  for (const path of paths) {
    const isFolder = path !== '-' && (await explained(path, stat(path))).isDirectory();
    const names = isFolder
      ? (await explained(path, readdir(path))).filter((name) => name.endsWith('.json')).sort()
      : [];
    if (isFolder && names.length === 0) {
      throw new CommandError(`there is no file .json in ${path}: save each answer of ${server} as one`);
    }
    for (const file of isFolder ? names.map((name) => join(path, name)) : [path]) {
      const text = await readText(file, terminal, inputLimits.fileBytes);
      try {
        answers.push({ name: file === '-' ? '<stdin>' : file, value: parseJsonText(text) });
      } catch (error) {
        if (!(error instanceof InputError)) throw error;
        const isPage = /^\s*<(!doctype|html)/i.test(text);
        const page = `it is a page of HTML, not an answer of the REST API: ask ${server} itself, with no proxy in between`;
        throw new FileError(file, isPage ? new InputError('', page) : error);
      }
    }
  }
  return answers;
}

/** @throws CommandError for what is refused as an InputError, with a name before it. */
export function orRefused<T>(name: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof InputError) throw new CommandError(`${name}${error.sentence}`);
    throw error;
  }
}
