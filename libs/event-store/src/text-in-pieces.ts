import { columnText, fromColumnText } from './column-text.js';

/** A part of the text of an object: some elements of one of its long lists, or the JSON text around the lists. */
export interface Piece {
  /** The top-level field that holds the list; null for the text around the lists. */
  of: string | null;
  text: string;
}

/** A part of an object that becomes a piece: elements of a long list, or the text around the lists. */
export type TextPart = { of: string; elements: readonly unknown[] } | { of: null; text: string };

/** Elements of a list in one piece: some megabytes of allocations. */
const mostElements = 10_000;
/** A piece has at least this many elements, except for the last one. It ends at the next element whose id ends pieces (`endsPiece`). */
const leastElements = 4000;

/**
 * The text of an object, in pieces: with a million allocations it exceeds the maximum length of a string. Lists longer than a
 * piece are split, and written as columns where their elements allow that (`columnText`). Everything else is one piece of JSON.
 */
export function* piecesOf(object: object): Generator<Piece> {
  for (const part of partsOf(object)) {
    yield 'text' in part ? part : { of: part.of, text: textOfElements(part.elements) };
  }
}

/** The same, before the elements are written. */
export function* partsOf(object: object): Generator<TextPart> {
  let around = '{';
  let isFirst = true;
  for (const [name, value] of Object.entries(object)) {
    if (value === undefined) continue;
    around += `${isFirst ? '' : ','}${JSON.stringify(name)}:`;
    isFirst = false;
    if (!Array.isArray(value) || !isSplit(value)) {
      around += JSON.stringify(value);
      continue;
    }
    yield { of: null, text: `${around}[` };
    for (const elements of splitList(value)) yield { of: name, elements };
    around = ']';
  }
  yield { of: null, text: `${around}}` };
}

/** Whether a list is long enough to be split. */
export const isSplit = (list: readonly unknown[]) => list.length > mostElements;

/** The text of the elements of a piece. */
export const textOfElements = (elements: readonly unknown[]): string =>
  columnText(elements) ?? JSON.stringify(elements).slice(1, -1);

/** The elements of a list, piece by piece. Ids decide where pieces end, so lists that differ in a few elements have most pieces in common. */
export function* splitList(list: readonly unknown[]): Generator<readonly unknown[]> {
  for (let from = 0; from < list.length; ) {
    const most = Math.min(list.length, from + mostElements);
    let end = Math.min(most, from + leastElements);
    while (end < most && !endsPiece(list[end - 1])) end++;
    yield list.slice(from, end);
    from = end;
  }
}

/** True for one of about 2,000 ids, by their hash (FNV-1a). */
function endsPiece(element: unknown): boolean {
  const { id } = (element ?? {}) as { id?: unknown };
  if (typeof id !== 'string') return false;
  let hash = 0x811c9dc5;
  for (let i = 0; i < id.length; i++) hash = Math.imul(hash ^ id.charCodeAt(i), 0x01000193);
  return (hash >>> 16) % 2048 === 0;
}

/** Reads such pieces, those of earlier builds included: the text around the lists is an object with empty lists, to which the elements are added. */
export class TextInPieces {
  private around = '';
  private readonly lists = new Map<string, unknown[]>();

  add({ of, text }: Piece): void {
    if (of === null) {
      this.around += text;
      return;
    }
    const list = this.lists.get(of) ?? [];
    this.lists.set(of, list);
    // Until 0.1.0 all were JSON, with a comma before all but the first.
    const elements =
      fromColumnText(text) ?? (JSON.parse(`[${text.startsWith(',') ? text.slice(1) : text}]`) as unknown[]);
    for (const element of elements) list.push(element);
  }

  parsed(): unknown {
    const object: Record<string, unknown> = JSON.parse(this.around);
    for (const [name, list] of this.lists) object[name] = list;
    return object;
  }
}
