import type { Invocation } from '../invocation.js';
import { exactJson } from './exact-json.js';
import type { OutputFormat } from './formats.js';
import { printable } from './printable.js';

/** One result in the forms that it can take. */
export interface Result {
  /** For programs: exact. `bigint`s may be in it. */
  value: unknown;
  /** For people: lines, already laid out. */
  table: () => string[];
  /** One name a line, `kind/name`. */
  names: () => string[];
}

export async function print(invocation: Invocation, result: Result): Promise<void> {
  const text = await textOf(invocation.format, result);
  // A list of no names is no line: programs read one name a line.
  if (text !== '' || invocation.format !== 'name') await write(invocation, `${text}\n`);
}

async function textOf(format: OutputFormat, result: Result): Promise<string> {
  switch (format) {
    case 'table':
    case 'wide':
      return result.table().join('\n');
    case 'name':
      return result.names().map(printable).join('\n');
    case 'yaml': {
      const { stringify } = await import('yaml');
      return stringify(result.value, { aliasDuplicateObjects: false }).trimEnd();
    }
    case 'json':
      return exactJson(result.value, 2);
  }
}

/** Waits until the reader can take more: a result of any size goes through a pipe of any speed. */
export async function write({ terminal: { stdout } }: Invocation, text: string): Promise<void> {
  if (stdout.write(text) || stdout.destroyed) return;
  await new Promise<void>((resolve) => {
    const done = () => {
      stdout.off('drain', done).off('close', done);
      resolve();
    };
    stdout.on('drain', done).on('close', done);
  });
}
