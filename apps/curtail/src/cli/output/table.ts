import { printable } from './printable.js';
import type { Style, Tone } from './style.js';

export interface Column {
  title: string;
  align?: 'right';
  /** Sentences: put on several lines where there is no room. Other columns are cut short. */
  wraps?: boolean;
  /** The last column, with a sentence for each row: put under the row where there is no room beside it. */
  under?: boolean;
}

export type Cell = string | { text: string; tone: Tone };

const gap = '  ';
const narrowest = 8;

/** Lines of a table that fits `width` where that is possible: the widest columns give way first. */
export function tableLines(
  columns: readonly Column[],
  rows: readonly (readonly Cell[])[],
  layout: { width: number; style: Style },
): string[] {
  const texts = rows.map((row) => columns.map((_, index) => printable(textOf(row[index]))));
  const widths = columns.map(({ title }, index) =>
    texts.reduce((widest, row) => Math.max(widest, lengthOf(row[index] ?? '')), title.length),
  );
  if (columns.at(-1)?.under && excessOf(widths, layout.width) > 0)
    return sentencesUnder(columns, rows, layout);
  shrink(widths, layout.width);
  const head = line(
    columns,
    widths,
    (index) => columns[index]?.title ?? '',
    (text) => layout.style('title', text),
  );
  const body = texts.flatMap((row, rowIndex) => {
    const cells = row.map((text, index) =>
      cellLines(text, widths[index] ?? 0, columns[index]?.wraps === true),
    );
    const height = Math.max(1, ...cells.map((lines) => lines.length));
    return Array.from({ length: height }, (_, lineIndex) =>
      line(
        columns,
        widths,
        (index) => cells[index]?.[lineIndex] ?? '',
        (text, index) => layout.style(toneOf(rows[rowIndex]?.[index]), text),
      ),
    );
  });
  return [head, ...body];
}

const indent = '      ';

function sentencesUnder(
  columns: readonly Column[],
  rows: readonly (readonly Cell[])[],
  layout: { width: number; style: Style },
): string[] {
  const [head, ...body] = tableLines(
    columns.slice(0, -1).map((column) => ({ ...column, wraps: false })),
    rows.map((row) => row.slice(0, columns.length - 1)),
    layout,
  );
  const under = rows.map((row) => {
    const cell = row[columns.length - 1];
    const room = Math.max(narrowest, layout.width - indent.length);
    return cellLines(printable(textOf(cell)), room, true).map(
      (text) => indent + layout.style(toneOf(cell), text),
    );
  });
  const title = indent + layout.style('title', columns.at(-1)?.title ?? '');
  return [head ?? '', title, ...body.flatMap((row, index) => [row, ...(under[index] ?? [])])];
}

function textOf(cell: Cell | undefined): string {
  return typeof cell === 'object' ? cell.text : (cell ?? '');
}

function toneOf(cell: Cell | undefined): Tone {
  return typeof cell === 'object' ? cell.tone : 'plain';
}

function lengthOf(text: string): number {
  return [...text].length;
}

function excessOf(widths: readonly number[], width: number): number {
  return widths.reduce((sum, each) => sum + each, gap.length * (widths.length - 1)) - width;
}

function shrink(widths: number[], width: number): void {
  let excess = excessOf(widths, width);
  while (excess > 0) {
    const widest = widths.reduce((best, each, index) => (each > (widths[best] ?? 0) ? index : best), 0);
    const current = widths[widest] ?? 0;
    if (current <= narrowest) return;
    const next = Math.max(narrowest, ...widths.filter((_, index) => index !== widest));
    const step = Math.min(excess, Math.max(1, current - next));
    widths[widest] = current - step;
    excess -= step;
  }
}

function line(
  columns: readonly Column[],
  widths: readonly number[],
  textAt: (index: number) => string,
  styled: (text: string, index: number) => string,
): string {
  const cells = columns.map(({ align }, index) => {
    const text = textAt(index);
    const blanks = ' '.repeat(Math.max(0, (widths[index] ?? 0) - lengthOf(text)));
    const shown = text === '' ? '' : styled(text, index);
    if (align === 'right') return blanks + shown;
    return index === columns.length - 1 ? shown : shown + blanks;
  });
  return cells.join(gap).trimEnd();
}

function cellLines(text: string, width: number, wraps: boolean): string[] {
  const letters = [...text];
  if (letters.length <= width) return [text];
  if (!wraps) return [`${letters.slice(0, width - 1).join('')}…`];
  const lines: string[] = [];
  let current = '';
  for (const word of text.split(' ')) {
    const longer = current === '' ? word : `${current} ${word}`;
    if (lengthOf(longer) <= width) {
      current = longer;
      continue;
    }
    if (current !== '') lines.push(current);
    const parts = [...word];
    while (parts.length > width) lines.push(parts.splice(0, width).join(''));
    current = parts.join('');
  }
  return current === '' ? lines : [...lines, current];
}
