import { createRequire } from 'node:module';

/** Width in columns of a terminal; a Chinese character or an emoji takes two. */
export function widthOf(text: string): number {
  if (isNarrow(text)) return text.length;
  return lettersOf(text).reduce((sum, letter) => sum + widthOfLetter(letter), 0);
}

/** The longest beginning that fits `width` columns. */
export function beginningOf(text: string, width: number): string {
  if (isNarrow(text)) return text.slice(0, width);
  return text.slice(0, fitting(lettersOf(text), width));
}

/** The longest end that fits `width` columns. */
export function endOf(text: string, width: number): string {
  if (isNarrow(text)) return text.slice(Math.max(0, text.length - width));
  return text.slice(text.length - fitting(lettersOf(text).reverse(), width));
}

/** Length of the leading letters that fit. */
function fitting(letters: readonly string[], width: number): number {
  let columns = 0;
  let length = 0;
  for (const letter of letters) {
    columns += widthOfLetter(letter);
    if (columns > width) break;
    length += letter.length;
  }
  return length;
}

/** Letters of western languages and the ellipsis: one column each, one code unit each. */
function isNarrow(text: string): boolean {
  return /^[\u0020-\u007e\u00a1-\u00ac\u00ae-\u024f\u2026]*$/.test(text);
}

let segmenter: Intl.Segmenter | undefined;

/** Letters as people count them: several code points may be one, such as a flag. The segmenter is slow, and seldom needed. */
function lettersOf(text: string): string[] {
  const isOneEach = /^[\u0020-\u007e\u2026\u3041-\u3096\u30a1-\u30ff\u4e00-\u9fff\uac00-\ud7a3]*$/.test(text);
  if (isOneEach) return text.split('');
  segmenter ??= new Intl.Segmenter();
  return Array.from(segmenter.segment(text), ({ segment }) => segment);
}

const widths = new Map<string, number>();
const load = createRequire(import.meta.url);

function widthOfLetter(letter: string): number {
  let width = widths.get(letter);
  if (width === undefined) {
    // Loaded only for such letters: it makes a segmenter, which takes as long as the rest of a short command.
    width = (load('string-width') as typeof import('string-width')).default(letter);
    widths.set(letter, width);
  }
  return width;
}

/** A path without its middle: paths differ mostly at their ends. */
export function shortened(path: string, width: number): string {
  if (widthOf(path) <= width) return path;
  const tail = Math.ceil(((width - 1) * 2) / 3);
  return `${beginningOf(path, width - 1 - tail)}…${endOf(path, tail)}`;
}

/**
 * The least width, from `narrowest` on, at which all of these paths stay distinct when shortened: paths that differ only in the middle
 * would look equal. A greater width keeps all that a lesser one keeps, so distinct paths stay distinct.
 */
export function distinctWidth(paths: readonly string[], narrowest: number): number {
  const distinct = [...new Set(paths)];
  let least = narrowest;
  let enough = distinct.reduce((most, path) => Math.max(most, widthOf(path)), narrowest);
  while (least < enough) {
    const between = Math.floor((least + enough) / 2);
    if (new Set(distinct.map((path) => shortened(path, between))).size === distinct.length) enough = between;
    else least = between + 1;
  }
  return least;
}

/** Where a text may be broken: after any word, or only after items of a list (`30 GB, 4 vcore`). */
export type Breaks = 'words' | 'items';

/**
 * Wraps a text to lines of `width` columns. An item that is too long is broken between words. A word is never broken, since it may be
 * a name that people copy. Letters stay unchanged, unlike in wrap-ansi, which normalizes names to Unicode's composed form.
 */
export function wrapped(text: string, width: number, breaks: Breaks = 'words'): string[] {
  if (widthOf(text) <= width) return [text];
  const lines: string[] = [];
  let current = '';
  for (const piece of piecesOfWidth(text, width, breaks)) {
    const longer = current === '' ? piece : `${current} ${piece}`;
    if (widthOf(longer) <= width) {
      current = longer;
      continue;
    }
    if (current !== '') lines.push(current);
    current = piece;
  }
  return current === '' ? lines : [...lines, current];
}

/** A sentence after `indent`; further lines are indented by two more columns. */
export function hanging(sentence: string, width: number, indent = ''): string[] {
  const text = sentence.trim().replaceAll(/\s+/g, ' ');
  const [first = '', ...rest] = wrapped(text, Math.max(narrowestRoom, width - indent.length));
  if (rest.length === 0) return [indent + first];
  const below = `${indent}  `;
  const room = Math.max(narrowestRoom, width - below.length);
  const further = wrapped(text.slice(first.length).trimStart(), room);
  return [indent + first, ...further.map((line) => below + line)];
}

const narrowestRoom = 20;

/** The parts of a text between which a line may end. */
export function piecesOfWidth(text: string, width: number, breaks: Breaks): string[] {
  if (breaks === 'words') return text.split(' ');
  return text.split(/(?<=,) /).flatMap((item) => (widthOf(item) <= width ? [item] : item.split(' ')));
}
