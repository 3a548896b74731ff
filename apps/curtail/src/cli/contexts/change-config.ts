import { closeSync, mkdirSync, openSync, realpathSync, rmSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { Document } from 'yaml';
import { CommandError } from '../terminal/errors.js';
import type { Terminal } from '../terminal/terminal.js';
import { configPath } from './config-content.js';
import { type ConfigFile, readConfigFile, replaceFile, statOf } from './config-file.js';

/** For a command that is changing the file to be done with it. */
const longestMs = 10_000;
const againMs = 20;

/**
 * Changes the file, with its comments, at once or not at all. Two that change it at the same time do so one after the other.
 *
 * @returns its path. @throws CommandError
 */
export function changeConfig(
  env: Terminal['env'],
  edit: (document: Document, file: ConfigFile | undefined) => void,
): string {
  const named = configPath(env);
  if (named === undefined)
    throw new CommandError('there is no home folder for the file: set CURTAIL_CONFIG to its path');
  // A file in a folder of dotfiles is often a link to it.
  const path = statOf(named) ? realpathSync(named) : named;
  const wrong = (error: unknown) =>
    error instanceof CommandError
      ? error
      : new CommandError(`cannot write ${named}: ${(error as Error).message}`);
  let unlock = () => {};
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    unlock = lock(`${path}.lock`);
    const file = readConfigFile(env);
    const document = file?.document ?? new Document({});
    edit(document, file);
    replaceFile(path, document.toString());
  } catch (error) {
    throw wrong(error);
  } finally {
    unlock();
  }
  return named;
}

/** A file that only one process can create. One that its process left behind is taken over. */
function lock(path: string): () => void {
  const end = performance.now() + longestMs;
  for (;;) {
    try {
      closeSync(openSync(path, 'wx', 0o600));
      return () => rmSync(path, { force: true });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      if (performance.now() > end || isLeft(path)) rmSync(path, { force: true });
      else Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, againMs);
    }
  }
}

function isLeft(path: string): boolean {
  try {
    return Date.now() - statSync(path).mtimeMs > longestMs;
  } catch {
    return false;
  }
}
