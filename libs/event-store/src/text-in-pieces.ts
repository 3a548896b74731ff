/** A part of a JSON text: some elements of one of its long lists, or the text around the lists. */
export interface Piece {
  /** The top-level field that holds the list; null for the text around the lists. */
  of: string | null;
  text: string;
}

/** Elements of a list in one piece: some megabytes of allocations. */
const elementsAtOnce = 10_000;

/**
 * The text that `JSON.stringify` returns for an object, in pieces: with a million allocations it exceeds the maximum
 * length of a string. Lists longer than a piece are split; everything else is one piece.
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
      const elements = JSON.stringify(value.slice(from, from + elementsAtOnce)).slice(1, -1);
      yield { of: name, text: from === 0 ? elements : `,${elements}` };
    }
    around = ']';
  }
  yield { of: null, text: `${around}}` };
}

/** Reads such pieces: the text around the lists is an object with empty lists, to which the elements are added. */
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
    const elements: unknown[] = JSON.parse(`[${text.startsWith(',') ? text.slice(1) : text}]`);
    for (const element of elements) list.push(element);
  }

  parsed(): unknown {
    const object: Record<string, unknown> = JSON.parse(this.around);
    for (const [name, list] of this.lists) object[name] = list;
    return object;
  }
}
