import type { Field } from '../field.js';

/** A text is not written as it has to be for reading its entries one by one. */
export class NotOutlined extends Error {}

/** A part of a text. All offsets are those of the text. */
export interface TextRange {
  begin: number;
  end: number;
}

/** Where a mapping ends, and the list below one of its keys. */
export interface Outline {
  end: number;
  /** Absent if it has no such list. */
  list?: TextRange;
}

/**
 * How entries are found in a text. It need not be right about a text with a fault: every part is read by itself, without the list that was
 * found in it, and one that cannot be read shows the fault. Each method throws NotOutlined for a text that is not written like that.
 */
export interface EntryStyle {
  /** The outline of the whole text, and the list below a key of it. */
  document(text: string, key: string): Outline;
  /** The outline of the entry at an offset. */
  entry(text: string, at: number, key: string): Outline;
  /** A function that finds the entries of a list: from its begin, or the end of an entry, to the begin of the next one, or to its own end. */
  nextIn(text: string, list: TextRange): (at: number) => number;
  /** Whether the entry at an offset, whose text is that of a former one, ends there and does not go on. */
  isWhole(text: string, begin: number, end: number): boolean;
  /** The field of a text (or of an entry) without the list of its outline; undefined if it cannot be read. */
  fieldOf(own: string, of: 'document' | 'entry'): Field | undefined;
}
