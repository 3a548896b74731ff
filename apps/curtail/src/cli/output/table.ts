import { printable } from './printable.js';
import { distinctWidth, shortened } from './shortened.js';
import type { Style, Tone } from './style.js';
import { startOf, widthOf } from './width.js';
import { type Breaks, piecesOf, wrapped } from './wrapped.js';

export interface Column {
  title: string;
  /** For numbers, which are never cut: a cut number would be another number. */
  align?: 'right';
  /**
   * Ids, which people copy: they are never cut, even if the row becomes longer than the terminal. Paths are shortened in the middle as
   * long as they stay distinct.
   */
  holds?: 'ids' | 'paths';
  /**
   * Sentences, or lists of amounts: wrapped at blanks if they do not fit. Other columns are cut.
   */
  wraps?: Breaks;
  /** The last column, with a sentence for each row: printed below the row if it does not fit beside it. */
  under?: boolean;
}

export type Cell = string | { text: string; tone: Tone };

export const partitionColumn = { title: 'PARTITION', holds: 'ids' } as const;

const gap = '  ';
const narrowest = 8;
/** A sentence is not narrowed further while another column can be. */
const narrowestSentence = 16;

interface Layout {
  width: number;
  style: Style;
}

/**
 * Lines of a table that fits `width` if possible: the widest columns shrink first, beginning with those that lose no text by
 * wrapping.
 */
export function tableLines(
  columns: readonly Column[],
  rows: readonly (readonly Cell[])[],
  layout: Layout,
): string[] {
  if (columns.at(-1)?.under && excessOf(measure(columns, rows).widths, layout.width) > 0)
    return sentencesUnder(columns, rows, layout);
  const { head, body } = gridOf(columns, rows, layout);
  return [head, ...body.flat()];
}

/** The title line and the lines of each row; cells beyond the columns are left out. */
function gridOf(
  columns: readonly Column[],
  rows: readonly (readonly Cell[])[],
  { width, style }: Layout,
): { head: string; body: string[][] } {
  const { texts, widths } = measure(columns, rows);
  if (excessOf(widths, width) > 0) {
    for (const floors of floorsOf(columns, widths, texts)) shrink(widths, width, floors);
  }
  const cells = texts.map((row) =>
    row.map((text, index) => cellLines(text, widths[index] ?? 0, columns[index])),
  );
  const titles = columns.map(({ title }, index) => cut(title, widths[index] ?? 0));
  // A wrapped column needs only the width of its longest line.
  const needed = titles.map((title, index) =>
    cells.reduce((most, row) => Math.max(most, ...(row[index] ?? []).map(widthOf)), title.length),
  );
  const head = line(
    columns,
    needed,
    (index) => titles[index] ?? '',
    (text) => style('title', text),
  );
  const body = cells.map((row, rowIndex) => {
    const height = Math.max(1, ...row.map((lines) => lines.length));
    return Array.from({ length: height }, (_, lineIndex) =>
      line(
        columns,
        needed,
        (index) => row[index]?.[lineIndex] ?? '',
        (text, index) => style(toneOf(rows[rowIndex]?.[index]), text),
      ),
    );
  });
  return { head, body };
}

/** The text of each cell, and the preferred width of each column. */
function measure(
  columns: readonly Column[],
  rows: readonly (readonly Cell[])[],
): { texts: string[][]; widths: number[] } {
  const texts = rows.map((row) => columns.map((_, index) => printable(textOf(row[index]))));
  const widths = columns.map(({ title }, index) =>
    texts.reduce((widest, row) => Math.max(widest, widthOf(row[index] ?? '')), title.length),
  );
  return { texts, widths };
}

const indent = '      ';

function sentencesUnder(
  columns: readonly Column[],
  rows: readonly (readonly Cell[])[],
  layout: Layout,
): string[] {
  const { head, body } = gridOf(columns.slice(0, -1), rows, layout);
  const room = Math.max(narrowest, layout.width - indent.length);
  const lines = body.flatMap((row, index) => {
    const cell = rows[index]?.[columns.length - 1];
    const under = wrapped(printable(textOf(cell)), room);
    return [...row, ...under.map((text) => indent + layout.style(toneOf(cell), text))];
  });
  return [head, indent + layout.style('title', columns.at(-1)?.title ?? ''), ...lines];
}

function textOf(cell: Cell | undefined): string {
  return typeof cell === 'object' ? cell.text : (cell ?? '');
}

function toneOf(cell: Cell | undefined): Tone {
  return typeof cell === 'object' ? cell.tone : 'plain';
}

function excessOf(widths: readonly number[], width: number): number {
  return widths.reduce((sum, each) => sum + each, gap.length * (widths.length - 1)) - width;
}

/** The minimum width of each column, from the gentlest cut to the worst. */
function floorsOf(
  columns: readonly Column[],
  widths: readonly number[],
  texts: readonly (readonly string[])[],
): number[][] {
  const longest = (column: number, breaks: Breaks, least: number) =>
    texts.reduce(
      (most, row) => Math.max(most, ...piecesOf(row[column] ?? '', Infinity, breaks).map(widthOf)),
      least,
    );
  const floors = (ofItems: Breaks) =>
    columns.map(({ title, wraps }, index) => {
      if (wraps === undefined) return widths[index] ?? 0;
      if (wraps === 'words') return longest(index, 'words', narrowestSentence);
      return longest(index, ofItems, Math.max(narrowest, title.length));
    });
  const least = columns.map(({ align, holds, wraps }, index) => {
    if (wraps !== undefined) return longest(index, 'words', narrowest);
    if (align === 'right' || holds === 'ids') return widths[index] ?? 0;
    if (holds !== 'paths') return narrowest;
    return distinctWidth(
      texts.map((row) => row[index] ?? ''),
      narrowest,
    );
  });
  return [floors('items'), floors('words'), least];
}

function shrink(widths: number[], width: number, floors: readonly number[]): void {
  for (let excess = excessOf(widths, width); excess > 0; excess--) {
    const widest = widths.reduce(
      (best, each, index) =>
        each > (floors[index] ?? 0) && (best === -1 || each > (widths[best] ?? 0)) ? index : best,
      -1,
    );
    if (widest === -1) return;
    widths[widest]!--;
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
    const blanks = ' '.repeat(Math.max(0, (widths[index] ?? 0) - widthOf(text)));
    const shown = text === '' ? '' : styled(text, index);
    if (align === 'right') return blanks + shown;
    return index === columns.length - 1 ? shown : shown + blanks;
  });
  return cells.join(gap).trimEnd();
}

function cellLines(text: string, width: number, { wraps, holds }: Partial<Column> = {}): string[] {
  if (wraps !== undefined) return wrapped(text, width, wraps);
  return [holds === 'paths' ? shortened(text, width) : cut(text, width)];
}

function cut(text: string, width: number): string {
  return widthOf(text) <= width ? text : `${startOf(text, width - 1)}…`;
}
