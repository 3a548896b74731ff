import { configurationLimits } from '#contracts';
import type { Entry, Field, Scalar } from './field.js';
import { isUnusual, typeOfPlain } from './plain-yaml.js';

/**
 * The fields of a YAML text whose lines are comments, or some `- ` and `key:` and a value that ends there: a plain word, a quoted text
 * without escapes, or a flow collection of them. That is what people and programs write, and takes a fifth of the time of `readPlainYaml`.
 *
 * @param text within the limits of a configuration (`whyTooLarge`).
 * @returns undefined for every other text, and for one with a fault: other readers decide there. What is read here has the same fields and
 * places there (plain-yaml.spec.ts).
 */
export const readBlockYaml = (text: string): Field | undefined =>
  isUnusual.test(text) ? undefined : new BlockReader(text).read();

const firstLine = /---\r?\n/y;
const noContent = / *(?:#[^\n]*)?\r?(?:\n|$)/y;
/** What may follow a key or a value on its line: a comment comes behind a space, which may have been read. */
export const endOfLine = /(?:(?: +|(?<= ))#[^\n]*| *)\r?(?:\n|$)/y;
const dash = /-(?=[ \r\n]|$)/y;
const text = String.raw`"[^"\\\n\ud800-\udfff]*"|'[^'\n\ud800-\udfff]*'`;
const key = new RegExp(String.raw`(?:[\w./][\w./-]*|${text})(?=:(?:[ \r\n]|$))`, 'y');
const quoted = new RegExp(`(?:${text})(?!['"])`, 'y');
const word = (more: string) => {
  const unit = String.raw`(?:[\w./+*%=@${more}-]|:(?=\w))`;
  return new RegExp(String.raw`(?:[\w./+]|-(?=[\w.]))${unit}*(?: +(?!#)${unit}+)*`, 'y');
};
const wordInBlock = word(',');
const wordInFlow = word('');

/** No reader refuses so few. */
const mostLevels = 20;
const longestKey = 1000;

interface Position {
  line: number;
  column: number;
}

type Collection = Extract<Field, { kind: 'mapping' | 'list' }>;

/** A block collection whose end is not known yet. */
interface Open {
  /** At which its keys or dashes are. */
  column: number;
  field: Collection;
  /** The key of a mapping, or the dash of a list, that has no value yet; `end` is where a value may begin on its line. */
  waiting: { key: string; place: Position; end: Position } | undefined;
}

/** The name of a key as it is written; undefined for one that other readers decide about. */
function nameOf(written: string | undefined): string | undefined {
  if (written === undefined || written.length > longestKey) return undefined;
  const isQuoted = written.startsWith('"') || written.startsWith("'");
  const name = isQuoted ? written.slice(1, -1) : written;
  return name === '<<' || (!isQuoted && typeOfPlain(name) === 'null') ? undefined : name;
}

class BlockReader {
  #at = 0;
  #line = 1;
  #begin = 0;
  #values = 0;
  #root: Field | undefined;
  readonly #open: Open[] = [];

  constructor(private readonly text: string) {}

  read(): Field | undefined {
    if (this.#passes(firstLine)) this.#newLine();
    while (this.#at < this.text.length) {
      if (!this.#passes(noContent) && !this.#content()) return undefined;
      this.#newLine();
    }
    return this.#closeBeyond(-1) && this.#values <= configurationLimits.values ? this.#root : undefined;
  }

  #newLine(): void {
    this.#line++;
    this.#begin = this.#at;
  }

  #take(pattern: RegExp): string | undefined {
    const at = this.#at;
    return this.#passes(pattern) ? this.text.slice(at, this.#at) : undefined;
  }

  #passes(pattern: RegExp): boolean {
    pattern.lastIndex = this.#at;
    // Without the array of `exec`: this runs several times a line.
    if (!pattern.test(this.text)) return false;
    this.#at = pattern.lastIndex;
    return true;
  }

  #skipSpaces(): void {
    while (this.text.charCodeAt(this.#at) === 0x20) this.#at++;
  }

  #place(offset: number): Position {
    return { line: this.#line, column: offset - this.#begin + 1 };
  }

  /** Reads a line with content, and its end. @returns false for a line of another kind, as all of these do. */
  #content(): boolean {
    this.#skipSpaces();
    let isInItem = false;
    for (let at = this.#at; this.#passes(dash); at = this.#at) {
      if (!this.#item(at)) return false;
      isInItem = true;
      this.#skipSpaces();
      if (this.#passes(endOfLine)) return true;
    }
    const at = this.#at;
    const written = this.#take(key);
    if (written === undefined && !isInItem) return false;
    if (written !== undefined) {
      this.#at++;
      this.#skipSpaces();
      if (!this.#key(written, at)) return false;
      if (this.#passes(endOfLine)) return true;
    }
    const value = this.#value(wordInBlock, 1);
    if (value === undefined) return false;
    this.#fill(this.#open.at(-1)!, value);
    return this.#passes(endOfLine);
  }

  #item(offset: number): boolean {
    const column = offset - this.#begin;
    const place = this.#place(offset);
    if (!this.#closeBeyond(column)) return false;
    const top = this.#open.at(-1);
    const isNext = top?.field.kind === 'list' && top.column === column;
    if (isNext ? top.waiting : !this.#opens({ kind: 'list', items: [], ...place }, column)) return false;
    this.#open.at(-1)!.waiting = { key: '', place, end: place };
    return true;
  }

  /** A key, from behind which the reader has gone to where its value may begin. */
  #key(written: string, offset: number): boolean {
    const column = offset - this.#begin;
    const place = this.#place(offset);
    const name = nameOf(written);
    if (name === undefined || !this.#closeBeyond(column)) return false;
    const list = this.#open.at(-1);
    if (list?.field.kind === 'list' && list.column === column) {
      // It stands at the margin of the key above.
      if (list.waiting) return false;
      this.#open.pop();
    }
    const top = this.#open.at(-1);
    const isNext = top?.field.kind === 'mapping' && top.column === column;
    if (isNext && top.waiting) this.#fill(top, this.#nothing(top.waiting.end));
    if (!isNext && !this.#opens({ kind: 'mapping', entries: new Map(), ...place }, column)) return false;
    const own = this.#open.at(-1)!;
    if (own.field.kind !== 'mapping' || own.field.entries.has(name)) return false;
    own.waiting = { key: name, place, end: this.#place(this.#at) };
    return true;
  }

  /** Opens a collection as the value of what waits for one. */
  #opens(field: Collection, column: number): boolean {
    const parent = this.#open.at(-1);
    this.#values++;
    if (parent === undefined) {
      if (this.#root !== undefined) return false;
      this.#root = field;
    } else {
      const isAtMargin = field.kind === 'list' && parent.field.kind === 'mapping' && column === parent.column;
      if (!parent.waiting || !(column > parent.column || isAtMargin)) return false;
      this.#fill(parent, field);
    }
    return this.#open.push({ column, field, waiting: undefined }) <= mostLevels;
  }

  #closeBeyond(column: number): boolean {
    for (let top = this.#open.at(-1); top !== undefined && top.column > column; top = this.#open.at(-1)) {
      if (top.waiting) {
        if (top.field.kind === 'list') return false;
        this.#fill(top, this.#nothing(top.waiting.end));
      }
      this.#open.pop();
    }
    return true;
  }

  #fill(into: Open, value: Field): void {
    const { field, waiting } = into;
    if (field.kind === 'list') field.items.push(value);
    else field.entries.set(waiting!.key, { key: waiting!.place, value });
    into.waiting = undefined;
  }

  #nothing(place: Position): Scalar & Position {
    this.#values++;
    return { kind: 'scalar', type: 'null', text: '', ...place };
  }

  #value(plain: RegExp, level: number): Field | undefined {
    const place = this.#place(this.#at);
    const first = this.text[this.#at];
    this.#values++;
    if (level > mostLevels) return undefined;
    if (first === '[') return this.#flowList(place, level);
    if (first === '{') return this.#flowMapping(place, level);
    const isQuoted = first === '"' || first === "'";
    const written = this.#take(isQuoted ? quoted : plain);
    if (written === undefined) return undefined;
    return {
      kind: 'scalar',
      type: isQuoted ? 'text' : typeOfPlain(written),
      text: isQuoted ? written.slice(1, -1) : written,
      ...place,
    };
  }

  #flowList(place: Position, level: number): Field | undefined {
    const items: Field[] = [];
    const isRead = this.#parts(']', () => {
      const item = this.#value(wordInFlow, level + 1);
      return item !== undefined && items.push(item) > 0;
    });
    return isRead ? { kind: 'list', items, ...place } : undefined;
  }

  #flowMapping(place: Position, level: number): Field | undefined {
    const entries = new Map<string, Entry>();
    const isRead = this.#parts('}', () => {
      const at = this.#place(this.#at);
      const name = nameOf(this.#take(key));
      if (name === undefined || entries.has(name)) return false;
      this.#at++;
      this.#skipSpaces();
      const value = this.#value(wordInFlow, level + 1);
      if (value !== undefined) entries.set(name, { key: at, value });
      return value !== undefined;
    });
    return isRead ? { kind: 'mapping', entries, ...place } : undefined;
  }

  /** The parts of a flow collection, with commas between them, from its first character to behind its last. */
  #parts(end: string, read: () => boolean): boolean {
    this.#at++;
    this.#skipSpaces();
    if (this.text[this.#at] === end) return this.#at++ > 0;
    for (;;) {
      if (!read()) return false;
      this.#skipSpaces();
      const next = this.text[this.#at++];
      if (next === end) return true;
      if (next !== ',') return false;
      this.#skipSpaces();
    }
  }
}
