import { createReadStream } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { decodedText, InputError } from '#contracts';
import { CommandError } from '../terminal/errors.js';
import { printable } from '../terminal/printable.js';
import type { Terminal } from '../terminal/terminal.js';

/** An input: a file, or standard input under the name `-`. */
export interface Source {
  /** The name in messages. */
  name: string;
  stream: Readable;
  /** Size in bytes, where known beforehand. */
  size: number | undefined;
}

export async function openSource(path: string, terminal: Terminal): Promise<Source> {
  if (path === '-') return { name: '<stdin>', stream: terminal.stdin, size: undefined };
  const found = await explained(path, stat(path));
  if (found.isDirectory())
    throw new CommandError(`${path} is a folder; name a file, or - for standard input`);
  return {
    name: path,
    stream: createReadStream(path, { highWaterMark: 1024 * 1024 }),
    size: found.isFile() ? found.size : undefined,
  };
}

/** Reads a whole file, or all of standard input, as text. */
export async function readText(path: string, terminal: Terminal, limitBytes: number): Promise<string> {
  if (path !== '-') {
    const found = await explained(path, stat(path));
    if (found.isFile()) {
      if (found.size > limitBytes) throw tooLarge(path, limitBytes);
      return decoded(path, await explained(path, readFile(path)));
    }
  }
  const { name, stream } = await openSource(path, terminal);
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of stream) {
    chunks.push(Buffer.from(chunk));
    bytes += chunk.length;
    if (bytes > limitBytes) throw tooLarge(name, limitBytes);
  }
  return decoded(name, Buffer.concat(chunks));
}

function decoded(name: string, bytes: Buffer): string {
  try {
    return decodedText(bytes);
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    throw new CommandError(`cannot read ${printable(name)}: ${error.message}`);
  }
}

export async function explained<T>(path: string, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const known: Record<string, string> = {
      ENOENT: 'no such file; - reads standard input',
      EACCES: 'this user may not read it',
      ENOTDIR: 'a part of the path is not a folder',
    };
    throw new CommandError(`cannot read ${printable(path)}: ${known[code ?? ''] ?? message}`);
  }
}

function tooLarge(name: string, limitBytes: number): CommandError {
  return new CommandError(`${printable(name)} is larger than ${limitBytes} bytes, the limit`);
}

/** Largest inputs of commands. */
export const inputLimits = {
  /** A file read whole: the longest string. */
  fileBytes: 500 * 1024 * 1024,
  /** A configuration; the reader itself refuses more than 32 MiB, with a message. */
  configurationBytes: 40 * 1024 * 1024,
  /** One line of a batch. */
  lineBytes: 64 * 1024 * 1024,
  /** Levels of a JSON text that are searched for positions of faults. */
  jsonLevels: 1000,
} as const;
