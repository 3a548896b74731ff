import { printable, type Style, type Tone } from '../terminal/printable.js';
import { type Breaks, distinctWidth, piecesOfWidth, shortened, widthOf, wrapped } from './width.js';

export interface Column {
  title: string;
  /** For numbers, which are never cut: a cut number would be another number. */
  align?: 'right';
  /**
   * Ids, which people copy, and times, which are read as one: they are never cut or wrapped, even if the row becomes longer than the
   * terminal. Paths are shortened in the middle as long as they stay distinct.
   */
  holds?: 'ids' | 'times' | 'paths';
  /**
   * Sentences, or lists of amounts: wrapped at blanks if they do not fit. Other columns are wrapped last. No text is ever cut: it may be an
   * id that people copy.
   */
  wraps?: Breaks;
  /** The last column, with a sentence for each row, or `-`: if they do not all fit beside the rows, they are printed below them. */
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

/** The texts of the cells, each measured once: a table may have a hundred thousand rows. */
interface Measured {
  columns: readonly Column[];
  rows: readonly (readonly Cell[])[];
  texts: readonly string[][];
  /** The width of each text. */
  textWidths: readonly number[][];
  /** The preferred width of each column. */
  widths: number[];
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
  const measured = measure(columns, rows);
  if (columns.at(-1)?.under && excessOf(measured.widths, layout.width) > 0)
    return sentencesUnder(measured, layout);
  const { head, body } = gridOf(measured, layout);
  return [...head, ...body.flat()];
}

/** Lines under a title, with a blank line before it; none without lines. */
export function section(title: string, lines: string[], { style }: Pick<Layout, 'style'>): string[] {
  return lines.length === 0 ? [] : ['', style('title', title), ...lines];
}

/** The lines of the titles and of each row; cells beyond the columns are left out. */
function gridOf(measured: Measured, { width, style }: Layout): { head: string[]; body: string[][] } {
  const { columns, rows, texts, textWidths } = measured;
  const widths = [...measured.widths];
  if (excessOf(widths, width) > 0) {
    for (const floorOf of [gentlest, gentler, narrowestOf]) {
      const floors = columns.map((_, index) => floorOf(measured, index));
      if (shrink(widths, width, floors)) break;
    }
  }
  const cells = columns.map((column, index) => {
    const room = widths[index] ?? 0;
    return texts.map((row, at): CellLines => {
      const text = row[index] ?? '';
      const textWidth = textWidths[at]?.[index] ?? 0;
      if (textWidth <= room) return { lines: [text], width: textWidth };
      const lines = cellLines(text, room, column);
      return { lines, width: lines.reduce((most, each) => Math.max(most, widthOf(each)), 0) };
    });
  });
  const titles = columns.map(({ title }, index) => wrapped(title, widths[index] ?? 0, 'words'));
  // A wrapped column needs only the width of its longest line.
  const needed = titles.map((title, index) =>
    (cells[index] ?? []).reduce(
      (most, cell) => Math.max(most, cell.width),
      title.reduce((most, piece) => Math.max(most, piece.length), 0),
    ),
  );
  const headHeight = titles.reduce((most, { length }) => Math.max(most, length), 1);
  const head = Array.from({ length: headHeight }, (_, lineIndex) =>
    line(
      columns,
      needed,
      (index) => titles[index]?.[lineIndex] ?? '',
      (text) => style('title', text),
    ),
  );
  const body = rows.map((row, at) => {
    const height = cells.reduce((most, column) => Math.max(most, column[at]?.lines.length ?? 0), 1);
    return Array.from({ length: height }, (_, lineIndex) =>
      line(
        columns,
        needed,
        (index) => cells[index]?.[at]?.lines[lineIndex] ?? '',
        (text, index) => style(toneOf(row[index]), text),
      ),
    );
  });
  return { head, body };
}

interface CellLines {
  lines: string[];
  /** Of the longest line. */
  width: number;
}

function measure(columns: readonly Column[], rows: readonly (readonly Cell[])[]): Measured {
  const texts = rows.map((row) => columns.map((_, index) => printable(textOf(row[index]))));
  const textWidths = texts.map((row) => row.map(widthOf));
  const widths = columns.map(({ title }, index) =>
    textWidths.reduce((widest, row) => Math.max(widest, row[index] ?? 0), title.length),
  );
  return { columns, rows, texts, textWidths, widths };
}

const indent = '      ';

function sentencesUnder(measured: Measured, layout: Layout): string[] {
  const { columns, rows, texts } = measured;
  const last = columns.length - 1;
  const { head, body } = gridOf(
    { ...measured, columns: columns.slice(0, last), widths: measured.widths.slice(0, last) },
    layout,
  );
  const room = Math.max(narrowest, layout.width - indent.length);
  const lines = body.flatMap((row, at) => {
    const tone = toneOf(rows[at]?.[last]);
    const sentence = texts[at]?.[last] ?? '';
    const under = sentence === '-' ? [] : wrapped(sentence, room);
    return [...row, ...under.map((text) => indent + layout.style(tone, text))];
  });
  return [...head, indent + layout.style('title', columns.at(-1)?.title ?? ''), ...lines];
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

/** The minimum width of a column, in three steps from the gentlest cut to the worst. */
const gentlest = (measured: Measured, index: number) => floorOf(measured, index, 'items');
const gentler = (measured: Measured, index: number) => floorOf(measured, index, 'words');

function floorOf(measured: Measured, index: number, ofItems: Breaks): number {
  const { title, wraps } = measured.columns[index]!;
  if (wraps === undefined) return measured.widths[index] ?? 0;
  if (wraps === 'words')
    return longestPiece(measured, index, 'words', Math.max(narrowestSentence, longestWord(title)));
  return longestPiece(measured, index, ofItems, Math.max(narrowest, title.length));
}

function narrowestOf(measured: Measured, index: number): number {
  const { title, align, holds, wraps } = measured.columns[index]!;
  const least = Math.max(Math.min(narrowest, title.length), longestWord(title));
  if (wraps !== undefined) return longestPiece(measured, index, 'words', least);
  if (align === 'right' || holds === 'ids' || holds === 'times') return longestText(measured, index, least);
  if (holds !== 'paths') return longestPiece(measured, index, 'words', least);
  return distinctWidth(
    measured.texts.map((row) => row[index] ?? ''),
    Math.max(narrowest, least),
  );
}

const longestWord = (title: string): number =>
  title.split(' ').reduce((most, word) => Math.max(most, word.length), 0);

/** Of a column whose texts stay whole; its title may wrap. */
const longestText = ({ textWidths }: Measured, index: number, least: number): number =>
  textWidths.reduce((most, row) => Math.max(most, row[index] ?? 0), least);

/** The widest part of the column that is never broken; `least` if none is wider. */
function longestPiece({ texts, textWidths }: Measured, index: number, breaks: Breaks, least: number): number {
  return texts.reduce((most, row, at) => {
    // No part is wider than the whole.
    if ((textWidths[at]?.[index] ?? 0) <= most) return most;
    return piecesOfWidth(row[index] ?? '', Infinity, breaks).reduce(
      (widest, piece) => Math.max(widest, widthOf(piece)),
      most,
    );
  }, least);
}

/** Whether the columns fit now. */
function shrink(widths: number[], width: number, floors: readonly number[]): boolean {
  for (let excess = excessOf(widths, width); excess > 0; excess--) {
    const widest = widths.reduce(
      (best, each, index) =>
        each > (floors[index] ?? 0) && (best === -1 || each > (widths[best] ?? 0)) ? index : best,
      -1,
    );
    if (widest === -1) return false;
    widths[widest]!--;
  }
  return true;
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
  if (holds === 'paths') return [shortened(text, width)];
  return wrapped(text, width, wraps);
}
