/** The line and the column of a place in a text, from 1 on. It makes no copy of the text: a body may have millions of lines. */
export function placeInText(text: string, offset: number): { line: number; column: number } {
  let line = 1;
  let from = 0;
  for (let end = text.indexOf('\n'); end !== -1 && end < offset; end = text.indexOf('\n', from)) {
    line++;
    from = end + 1;
  }
  return { line, column: offset - from + 1 };
}
