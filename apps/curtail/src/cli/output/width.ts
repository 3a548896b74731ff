import stringWidth from 'string-width';

/** Width in columns of a terminal; a Chinese character or an emoji takes two. */
export function widthOf(text: string): number {
  if (isNarrow(text)) return text.length;
  return lettersOf(text).reduce((sum, letter) => sum + widthOfLetter(letter), 0);
}

/** The longest beginning that fits `width` columns. */
export function startOf(text: string, width: number): string {
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

const segmenter = new Intl.Segmenter();

/** Letters as people count them: several code points may be one, such as a flag. The segmenter is slow, and seldom needed. */
function lettersOf(text: string): string[] {
  const isOneEach = /^[\u0020-\u007e\u2026\u3041-\u3096\u30a1-\u30ff\u4e00-\u9fff\uac00-\ud7a3]*$/.test(text);
  return isOneEach ? text.split('') : Array.from(segmenter.segment(text), ({ segment }) => segment);
}

const widths = new Map<string, number>();

function widthOfLetter(letter: string): number {
  let width = widths.get(letter);
  if (width === undefined) {
    width = stringWidth(letter);
    widths.set(letter, width);
  }
  return width;
}
