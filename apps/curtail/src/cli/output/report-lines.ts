import type { Report } from '#api-client';
import { counted } from '#contracts';
import type { Invocation } from '../invocation/invocation.js';
import { printable } from '../terminal/printable.js';
import { hoursText } from './amounts.js';
import { tableLines } from './table.js';
import { clockText } from './time.js';
import { wrapped } from './width.js';

/** The amount of one type times hours; 0 as such. */
export const hoursOf = (type: string, amount: number): string => {
  const text = hoursText({ [type]: amount });
  return text === '-' ? '0' : text;
};

/** Evictions of a period by group, and their sum. */
export function reportLines(
  { since, until, by, total, items, partition }: Report,
  invocation: Invocation,
): string[] {
  const where = partition === null ? ' in all partitions' : ` in partition ${printable(partition)}`;
  const period = `${clockText(since)} to ${clockText(until)}`;
  if (total.victims === 0) return [`nothing was evicted${where}: ${period}`];
  const columns = [
    { title: by.toUpperCase(), holds: by === 'queue' ? ('paths' as const) : ('ids' as const) },
    { title: 'VICTIMS', align: 'right' as const },
    { title: 'RUNS', align: 'right' as const },
    { title: 'WORK LOST', wraps: 'items' as const },
  ];
  const rows = items.map(({ name, victims, runs, lost }) => [
    name === '' ? '-' : printable(name),
    String(victims),
    String(runs),
    hoursText(lost),
  ]);
  const sum = `${counted(total.victims, 'allocation')} evicted by ${counted(total.runs, 'run')}${where}, ${period}; work lost: ${hoursText(total.lost)}`;
  return [
    ...wrapped(sum, invocation.width),
    ...(total.unknown > 0
      ? wrapped(
          `The loss of ${counted(total.unknown, 'allocation')} is not known and not counted.`,
          invocation.width,
        )
      : []),
    '',
    ...tableLines(columns, rows, invocation),
  ];
}

/** Rows as comma-separated values (RFC 4180). A spreadsheet takes no cell for a formula. */
export function csvText(rows: readonly (readonly string[])[]): string {
  return rows.map((row) => `${row.map(cellText).join(',')}\r\n`).join('');
}

function cellText(cell: string): string {
  const harmless = /^[=+\-@\t\r]/.test(cell) && !/^-?\d/.test(cell) ? `'${cell}` : cell;
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}

const [width, margin, barHeight, gap, nameWidth, labelWidth] = [960, 24, 18, 8, 280, 140];
const mostBars = 100;
const mostOfName = 40;

interface Bar {
  name: string;
  value: number;
  /** Beside the bar. */
  label: string;
}

/**
 * Horizontal bars as an SVG image, in the order given, a hundred at most. It follows the light or dark scheme of its viewer, and
 * names stay text whatever they contain.
 */
export function barChart(title: string, bars: readonly Bar[]): string {
  const shown = bars.slice(0, mostBars);
  const most = Math.max(...shown.map(({ value }) => value), 0);
  const longest = width - 2 * margin - nameWidth - labelWidth;
  const top = margin + 32;
  const height = top + Math.max(shown.length, 1) * (barHeight + gap) + margin;
  const lines = shown.flatMap(({ name, value, label }, i) => {
    const y = top + i * (barHeight + gap);
    const length = most === 0 ? 0 : Math.round((longest * value) / most);
    const x = margin + nameWidth;
    return [
      `<text x="${x - 8}" y="${y + 13}" text-anchor="end"><title>${escaped(name)}</title>${escaped(shortened(name))}</text>`,
      `<rect x="${x}" y="${y}" width="${length}" height="${barHeight}" rx="2"/>`,
      `<text x="${x + length + 8}" y="${y + 13}">${escaped(label)}</text>`,
    ];
  });
  if (shown.length === 0) lines.push(`<text x="${margin}" y="${top + 13}">nothing was evicted</text>`);
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">`,
    `<title>${escaped(title)}</title>`,
    '<style>text{font:13px system-ui,sans-serif;fill:#222}rect{fill:#3b6fb6}@media(prefers-color-scheme:dark){text{fill:#ddd}rect{fill:#7aa7e0}}</style>',
    `<text x="${margin}" y="${margin + 8}" font-weight="bold">${escaped(title)}</text>`,
    ...lines,
    '</svg>',
    '',
  ].join('\n');
}

/** In the middle: names of queues differ at their ends. */
function shortened(name: string): string {
  const characters = [...name];
  if (characters.length <= mostOfName) return name;
  return `${characters.slice(0, 14).join('')}…${characters.slice(-25).join('')}`;
}

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** XML allows no control characters, not even as entities. */
function escaped(text: string): string {
  return text
    .replaceAll(/\p{Cc}|\p{Cs}|[\ufffe\uffff]/gu, '\ufffd')
    .replaceAll(/[&<>"]/g, (sign) => entities[sign]!);
}
