import { CurtailError, configurationLimits } from '#contracts';
import type { Place } from '#contracts/api';
import { type Entry, type Field, type Mapping, quoted, type Scalar } from '../field.js';
import type { Problems } from '../problems.js';
import { unescaped } from './yson-strings.js';

const askForText = "yt get --format '<format=text>yson' PATH, or yt get --format json PATH";

/**
 * Whether a text is YSON, as `yt get` prints it: attributes in `<…>`, or a map whose first key is followed by `=`. A tag of XML has its name
 * right after the `<`, and no `=` after that; JSON and YAML have a colon.
 */
export function isYson(text: string): boolean {
  const begin = text.slice(0, compared).trimStart();
  const inside = begin.slice(1).trimStart();
  if (begin[0] === '<') return inside[0] === '>' || isBinary(inside[0]) || isEntry.test(inside);
  return isBinary(begin[0]) || (begin[0] === '{' && (isBinary(inside[0]) || isEntry.test(inside)));
}

const compared = 100_000;
const isEntry = /^(?:"[^"\\]*(?:\\.[^"\\]*)*"|[A-Za-z_][\w.-]*)\s*=/s;

/** The mark before a binary string or number. */
const isBinary = (unit: string | undefined): boolean =>
  unit !== undefined && unit.charCodeAt(0) >= 1 && unit.charCodeAt(0) <= 6;

/**
 * Reads YSON in its text form into fields with their places. A value with attributes is what `yt get --format json` prints for it: a mapping
 * with `$attributes` and `$value`. Undefined, with a problem, for what is no such text. The text is untrusted: it is read once, from the
 * beginning to the first error.
 */
export function readYson(text: string, problems: Problems): Field | undefined {
  const { bytes } = configurationLimits;
  // Every UTF-16 unit takes a byte or more, so that the length alone refuses the largest without encoding them.
  if (text.length > bytes || Buffer.byteLength(text) > bytes) {
    problems.error('', `a configuration has at most ${bytes} bytes; this one is larger`, {});
    return undefined;
  }
  if (hasTooManyItems(text)) {
    problems.error(
      '',
      `more than ${configurationLimits.values} items; a configuration has at most so many values`,
      {},
    );
    return undefined;
  }
  try {
    return new YsonReader(text).whole();
  } catch (error) {
    if (!(error instanceof YsonFault)) throw error;
    problems.error('', error.message, error.place);
    return undefined;
  }
}

/** Known before anything is read, which would take seconds. */
function hasTooManyItems(text: string): boolean {
  const { values } = configurationLimits;
  if (text.length < values) return false;
  let items = 0;
  for (let i = text.indexOf(';'); i >= 0 && items <= values; i = text.indexOf(';', i + 1)) items++;
  return items > values;
}

class YsonFault extends CurtailError {
  readonly code = 'yson-fault';
  constructor(
    message: string,
    readonly place: Place,
  ) {
    super(message);
  }
}

const identifier = /[A-Za-z_][A-Za-z0-9_.-]*/y;
const number = /[+-]?\d+(?:(u)|(\.\d*)?(?:[eE]([+-]?\d+))?)/y;
const percent = /%(true|false|nan|[+-]?inf)/y;
const plainText = /[^"\\]*/y;

class YsonReader {
  private at = 0;
  private values = 0;
  private line = 1;
  private lineStart = 0;

  constructor(private readonly text: string) {
    if (text.charCodeAt(0) === 0xfeff) this.at = 1;
  }

  whole(): Field {
    this.skipBlanks();
    const field = this.value(0);
    this.skipBlanks();
    if (this.at < this.text.length) throw this.fault('the value ends before this; remove what follows');
    return field;
  }

  private value(depth: number): Field {
    const place = this.place();
    this.count(depth);
    if (this.next() !== '<') return this.bare(depth);
    const attributes = this.map('>', depth + 1, place);
    this.skipBlanks();
    if (this.next() === '<') throw this.fault('a value has attributes once; put both in one <…>');
    const key = { key: place };
    const value = this.bare(depth + 1);
    const entries = new Map<string, Entry>([
      ['$attributes', { ...key, value: attributes }],
      ['$value', { ...key, value }],
    ]);
    return { kind: 'mapping', entries, ...place };
  }

  /** A value after its attributes. */
  private bare(depth: number): Field {
    const place = this.place();
    const next = this.next();
    if (next === '{') return this.map('}', depth, place);
    if (next === '[') return this.list(depth, place);
    return this.scalar(place);
  }

  private map(end: '}' | '>', depth: number, place: Place): Mapping {
    this.at++;
    const entries = new Map<string, Entry>();
    this.items(end, () => {
      const key = this.place();
      const name = this.stringAt() ?? this.refuse('a key is expected here');
      this.skipBlanks();
      if (this.next() !== '=') {
        throw this.fault(`= is expected here, after the key ${quoted(name)}, ${this.found()}`);
      }
      this.at++;
      this.skipBlanks();
      if (entries.has(name)) {
        throw new YsonFault(`the key ${quoted(name)} occurs twice in one map; keep one of them`, key);
      }
      entries.set(name, { key, value: this.value(depth + 1) });
    });
    return { kind: 'mapping', entries, ...place };
  }

  private list(depth: number, place: Place): Field {
    this.at++;
    const items: Field[] = [];
    this.items(']', () => items.push(this.value(depth + 1)));
    return { kind: 'list', items, ...place };
  }

  /** Items separated by `;`, also after the last. */
  private items(end: string, read: () => void): void {
    for (;;) {
      this.skipBlanks();
      if (this.next() === end) break;
      read();
      this.skipBlanks();
      if (this.next() === ';') this.at++;
      else if (this.next() !== end) throw this.fault(`; or ${end} is expected here, ${this.found()}`);
    }
    this.at++;
  }

  private scalar(place: Place): Scalar {
    const scalar = (type: Scalar['type'], text: string): Scalar => ({ kind: 'scalar', type, text, ...place });
    if (this.next() === '#') {
      this.at++;
      return scalar('null', '');
    }
    const word = this.next() === '%' ? this.match(percent)?.[1] : undefined;
    if (word === 'true' || word === 'false') return scalar('boolean', word);
    // Of no attribute that is read; the reader of an attribute refuses them.
    if (word !== undefined) return scalar('text', `%${word}`);
    const read = this.match(number);
    if (read !== undefined) return scalar('number', numberText(read));
    const text = this.stringAt();
    return text === undefined ? this.refuse('a value is expected here') : scalar('text', text);
  }

  private stringAt(): string | undefined {
    if (this.next() !== '"') return this.match(identifier)?.[0];
    const place = this.place();
    this.at++;
    const from = this.at;
    for (;;) {
      this.match(plainText);
      if (this.next() === undefined) {
        throw new YsonFault('this string does not end; write " after it', place);
      }
      if (this.next() === '"') break;
      this.at += 2;
    }
    const written = this.text.slice(from, this.at++);
    for (let i = written.indexOf('\n'); i >= 0; i = written.indexOf('\n', i + 1))
      this.startLine(from + i + 1);
    return written.includes('\\') ? unescaped(written) : written;
  }

  private count(depth: number): void {
    const { values } = configurationLimits;
    if (depth > configurationLimits.depth) {
      throw this.fault(`more than ${configurationLimits.depth} levels of nesting; nest less`);
    }
    if (++this.values > values) throw this.fault(`more than ${values} values`);
  }

  private match(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text);
    if (found === null) return undefined;
    this.at = pattern.lastIndex;
    return found;
  }

  /** Space, tab, line feed, vertical tab, form feed and carriage return. */
  private skipBlanks(): void {
    for (;;) {
      const unit = this.text.charCodeAt(this.at);
      if (unit !== 32 && !(unit >= 9 && unit <= 13)) return;
      this.at++;
      if (unit === 10) this.startLine(this.at);
    }
  }

  private startLine(at: number): void {
    this.line++;
    this.lineStart = at;
  }

  private next(): string | undefined {
    return this.text[this.at];
  }

  private found(): string {
    const next = this.next();
    return next === undefined ? 'not the end of the text' : `not ${quoted(next)}`;
  }

  private refuse(expected: string): never {
    if (isBinary(this.next())) {
      throw this.fault(`this is binary YSON, which is not read; ask for text: ${askForText}`);
    }
    throw this.fault(`${expected}, ${this.found()}`);
  }

  private fault(message: string): YsonFault {
    return new YsonFault(message, this.place());
  }

  private place(): Place {
    return { line: this.line, column: this.at - this.lineStart + 1 };
  }
}

/** As JSON has it: without the `u` of unsigned numbers, a double such as `100.` as 100, exponents written out. */
function numberText([written, unsigned, , exponent]: RegExpExecArray): string {
  const text = written.replace(/^\+/, '');
  if (unsigned !== undefined) return text.slice(0, -1);
  const [, sign = '', whole = '', decimals = ''] = /^(-?)(\d+)\.?(\d*)/.exec(text)!;
  const shift = Number(exponent ?? 0);
  // Doubles have no more; a longer text would only cost memory.
  if (Math.abs(shift) > 400) return text;
  const digits = whole + decimals;
  const point = whole.length + shift;
  const before =
    digits
      .slice(0, Math.max(point, 0))
      .padEnd(point, '0')
      .replace(/^0+(?=\d)/, '') || '0';
  const after = ('0'.repeat(Math.max(-point, 0)) + digits.slice(Math.max(point, 0))).replace(/0+$/, '');
  return `${sign}${before}${after === '' ? '' : `.${after}`}`;
}
