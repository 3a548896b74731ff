export interface LineAndColumn {
  line?: number | undefined;
  column?: number | undefined;
}

/** The lines and columns of offsets in a text. */
export class LineIndex {
  #begins: number[] | undefined;

  constructor(private readonly text: string) {}

  at(offset: number): LineAndColumn {
    this.#begins ??= beginsOf(this.text);
    const begins = this.#begins;
    let [low, high] = [0, begins.length];
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (begins[middle]! <= offset) low = middle;
      else high = middle;
    }
    return { line: low + 1, column: offset - begins[low]! + 1 };
  }
}

function beginsOf(text: string): number[] {
  const begins = [0];
  for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', end + 1)) begins.push(end + 1);
  return begins;
}
