import type { Invocation, OutputFormat } from '../invocation/invocation.js';
import { printable, safeLine } from '../terminal/printable.js';

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
  if (invocation.inLines) return write(invocation, linesOf(result.value));
  const text = await textOf(invocation.format, result);
  // No names means no line: programs read one name per line.
  if (text !== '' || invocation.format !== 'name') await write(invocation, `${text}\n`);
}

/** A result of one line, and the names of what it is about. */
export const printLine = (invocation: Invocation, value: unknown, line: string, ...names: string[]) =>
  print(invocation, { value, table: () => [line], names: () => names });

/** The items of a list, each in a line; another value in one. */
function linesOf(value: unknown): string {
  const { items } = (value ?? {}) as { items?: unknown };
  const all = Array.isArray(value) ? value : Array.isArray(items) ? items : [value];
  return all.map((item) => `${exactJson(item)}\n`).join('');
}

async function textOf(format: OutputFormat, result: Result): Promise<string> {
  switch (format) {
    case 'table':
    case 'wide':
      return result.table().map(safeLine).join('\n');
    case 'name':
      return result.names().map(printable).join('\n');
    case 'yaml':
      return yamlText(result.value);
    case 'json':
      return exactJson(result.value, 2);
  }
}

/** A value as YAML, without its last line break. Text of several lines, such as a configuration, stays as it is. */
export async function yamlText(value: unknown): Promise<string> {
  const { stringify } = await import('yaml');
  const options = { aliasDuplicateObjects: false, lineWidth: 0 };
  const text = stringify(value, options);
  // Only quoted text can be escaped.
  const safe = hidden.test(text) ? escaped(stringify(value, { ...options, ...quoted })) : text;
  return safe.replace(/\n$/, '');
}

const quoted = { defaultStringType: 'QUOTE_DOUBLE', defaultKeyType: 'QUOTE_DOUBLE' } as const;
/** Characters that could repaint a terminal or reorder its text. */
const hidden = /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/;
const everyHidden = new RegExp(hidden, 'g');

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

/**
 * JSON in which a `bigint` is a number with all its digits, and characters that could repaint a terminal or reorder its text are
 * escaped. `indent` 0 = on one line.
 */
export function exactJson(value: unknown, indent = 0): string {
  return escaped(json(value, indent));
}

/** They occur in strings only, where JSON.stringify has escaped those below U+0020. */
function escaped(text: string): string {
  return text.replace(everyHidden, (found) => `\\u${found.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

function json(value: unknown, indent: number): string {
  try {
    return JSON.stringify(value, null, indent) ?? 'null';
  } catch (error) {
    // The built-in function is several times faster, but refuses a bigint.
    if (!(error instanceof TypeError)) throw error;
    return written(value, indent, indent === 0 ? '' : '\n');
  }
}

function written(value: unknown, indent: number, lineBreak: string): string {
  if (typeof value === 'bigint') return String(value);
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const inner = lineBreak + ' '.repeat(indent);
  const [open, close, items] = Array.isArray(value)
    ? ['[', ']', value.map((item) => written(item, indent, inner))]
    : [
        '{',
        '}',
        Object.entries(value)
          .filter(([, item]) => item !== undefined)
          .map(
            ([key, item]) => `${JSON.stringify(key)}:${indent > 0 ? ' ' : ''}${written(item, indent, inner)}`,
          ),
      ];
  return items.length === 0 ? open + close : `${open}${inner}${items.join(`,${inner}`)}${lineBreak}${close}`;
}
