import { widthOf } from './width.js';

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
  for (const piece of piecesOf(text, width, breaks)) {
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
export function piecesOf(text: string, width: number, breaks: Breaks): string[] {
  if (breaks === 'words') return text.split(' ');
  return text.split(/(?<=,) /).flatMap((item) => (widthOf(item) <= width ? [item] : item.split(' ')));
}
