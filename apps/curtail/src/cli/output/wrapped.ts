import { widthOf } from './width.js';

/** What a text may be broken behind: any word, or only the items of a list (`30 GB, 4 vcore`), which stay whole. */
export type Breaks = 'words' | 'items';

/**
 * A text on lines of `width` columns. An item that is too long is broken as words are. A word never is, as it may be a name
 * that people copy: its line is longer. Nor is a letter changed, as wrap-ansi does, which writes names in Unicode's composed form.
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

/** A sentence behind `indent`; what does not fit goes on below, two columns further in. */
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
