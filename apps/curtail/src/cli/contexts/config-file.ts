import { randomBytes } from 'node:crypto';
import { readFileSync, renameSync, rmSync, type Stats, statSync, writeFileSync } from 'node:fs';
import { dirname, isAbsolute, join } from 'node:path';
import { type Document, isNode, LineCounter, parseDocument } from 'yaml';
import { InputError, yamlFaults } from '#contracts';
import { CommandError, FileError } from '../terminal/errors.js';
import type { Terminal } from '../terminal/terminal.js';
import { type ConfigContent, type Context, configPath, contentOf, WrongField } from './config-content.js';

const mostBytes = 1024 * 1024;

/** The configuration of the command line as read. docs/reference/cli.md, "curtail config" */
export interface ConfigFile {
  path: string;
  document: Document;
  content: ConfigContent;
}

/**
 * Reads the file; undefined if there is none.
 *
 * @throws FileError with line and field, CommandError for a file that cannot be read or that others may write.
 */
export function readConfigFile(env: Terminal['env']): ConfigFile | undefined {
  const path = configPath(env);
  if (path === undefined) return undefined;
  const found = statOf(path);
  if (found === undefined) return undefined;
  if (found.size > mostBytes) throw new CommandError(`${path} has more than ${mostBytes} bytes, the limit`);
  // A user who can write the file chooses the server that receives the token, and the command that prints it.
  if ((found.mode & 0o022) !== 0)
    throw new CommandError(`${path} can be written by other users (mode ${fileModeOf(found)})`, {
      next: `chmod go-w ${path}`,
    });
  return { path, ...parsed(path, readFileSync(path, 'utf8')) };
}

function parsed(path: string, text: string): Omit<ConfigFile, 'path'> {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const [fault] = yamlFaults(text, document.errors);
  if (fault !== undefined) {
    const { line, col } = lines.linePos(fault.offset);
    throw new FileError(path, new InputError('', fault.message, line, col));
  }
  const content = contentIn(path, document, lines);
  const { currentContext: current, contexts = {} } = content;
  if (current !== undefined && contexts[current] === undefined)
    throw new FileError(
      path,
      faultAt(
        ['currentContext'],
        `there is no context ${JSON.stringify(current)}; ${known(content)}`,
        document,
        lines,
      ),
    );
  return { document, content };
}

function contentIn(path: string, document: Document, lines: LineCounter): ConfigContent {
  try {
    return contentOf(document.toJS({ maxAliasCount: 100 }) ?? {});
  } catch (error) {
    if (!(error instanceof WrongField)) throw error;
    throw new FileError(path, faultAt(error.path, error.message, document, lines));
  }
}

function faultAt(
  path: readonly string[],
  message: string,
  document: Document,
  lines: LineCounter,
): InputError {
  let place: { line: number; col: number } | undefined;
  for (let length = path.length; length > 0 && place === undefined; length--) {
    const node = document.getIn(path.slice(0, length), true);
    if (isNode(node) && node.range) place = lines.linePos(node.range[0]);
  }
  return new InputError(path.join('.'), message, place?.line, place?.col);
}

/** The context of a name. @throws CommandError that lists the known ones. */
export function contextNamed(file: ConfigFile | undefined, name: string): Context {
  const found = file?.content.contexts?.[name];
  if (found !== undefined) return found;
  throw new CommandError(`there is no context ${JSON.stringify(name)}; ${known(file?.content)}`, {
    next: 'see them: curtail config get-contexts; make one: curtail config set-context NAME --server URL',
  });
}

function known(content: ConfigFile['content'] | undefined): string {
  const names = Object.keys(content?.contexts ?? {});
  return names.length === 0 ? 'there is none' : `known are ${names.join(', ')}`;
}

/** A path in the file: relative ones begin at its folder, `~` at the home. */
export function resolvedPath(written: string, file: string, { HOME: home }: Terminal['env']): string {
  if (home && (written === '~' || written.startsWith('~/'))) return join(home, written.slice(1));
  return isAbsolute(written) ? written : join(dirname(file), written);
}

/** Undefined if there is no such file. @throws CommandError for one that cannot be read. */
export function statOf(path: string): Stats | undefined {
  try {
    const found = statSync(path);
    if (!found.isFile()) throw new CommandError(`${path} is not a file`);
    return found;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw error instanceof CommandError ? error : new CommandError(`cannot read ${path}: ${message}`);
  }
}

export const fileModeOf = ({ mode }: Stats): string => (mode & 0o777).toString(8).padStart(3, '0');

/** Writes a file for its user alone, in one step: a reader finds the old text or the new one. @throws the error of the file system. */
export function replaceFile(path: string, text: string): void {
  const next = `${path}.${randomBytes(6).toString('hex')}`;
  try {
    writeFileSync(next, text, { mode: 0o600, flag: 'wx' });
    renameSync(next, path);
  } catch (error) {
    rmSync(next, { force: true });
    throw error;
  }
}
