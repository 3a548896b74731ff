import { columnText, fromColumnText } from './column-text.js';

/** A part of the text of an object: some elements of one of its long lists, or the JSON text around the lists. */
export interface Piece {
  /** The top-level field that holds the list; null for the text around the lists. */
  of: string | null;
  text: string;
}

/** Elements of a list in one piece: some megabytes of allocations. */
const elementsAtOnce = 10_000;

/**
 * The text of an object, in pieces: with a million allocations it exceeds the maximum length of a string. Lists longer than a
 * piece are split, and written as columns where their elements allow that (`columnText`). Everything else is one piece of JSON.
 */
export function* piecesOf(object: object): Generator<Piece> {
  let around = '{';
  let isFirst = true;
  for (const [name, value] of Object.entries(object)) {
    if (value === undefined) continue;
    around += `${isFirst ? '' : ','}${JSON.stringify(name)}:`;
    isFirst = false;
    if (!Array.isArray(value) || value.length <= elementsAtOnce) {
      around += JSON.stringify(value);
      continue;
    }
    yield { of: null, text: `${around}[` };
    for (let from = 0; from < value.length; from += elementsAtOnce) {
      const elements = value.slice(from, from + elementsAtOnce);
      const text = columnText(elements) ?? JSON.stringify(elements).slice(1, -1);
      yield { of: name, text };
    }
    around = ']';
  }
  yield { of: null, text: `${around}}` };
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
