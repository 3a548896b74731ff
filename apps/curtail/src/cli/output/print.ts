import type { OutputFormat } from '../invocation/formats.js';
import type { Invocation } from '../invocation/invocation.js';
import { printable, safeLine } from '../terminal/printable.js';
import { exactJson } from './exact-json.js';

/** One result in all output formats. */
export interface Result {
  /** For programs: exact. May contain `bigint`s. */
  value: unknown;
  /** For people: formatted lines. */
  table: () => string[];
  /** One name per line, `kind/name`. */
  names: () => string[];
}

export async function print(invocation: Invocation, result: Result): Promise<void> {
  const text = await textOf(invocation.format, result);
  // No names means no line: programs read one name per line.
  if (text !== '' || invocation.format !== 'name') await write(invocation, `${text}\n`);
}

async function textOf(format: OutputFormat, result: Result): Promise<string> {
  switch (format) {
    case 'table':
    case 'wide':
      return result.table().map(safeLine).join('\n');
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

/** Waits until the reader can take more, so that a result of any size passes through a pipe of any speed. */
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
