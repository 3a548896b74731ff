import { comparableLimits, counted, type QuotaValues } from '@curtail/contracts';
import type { Invocation } from '../invocation.js';
import { amountText, durationText, limitText } from './amounts.js';
import { type Cell, tableLines } from './table.js';

/** A queue whose quota changes, and what its clock does. */
export interface QueueChange {
  queue: string;
  gone: boolean;
  previous: QuotaValues;
  current: QuotaValues;
  clock: Cell;
}

/** Queues listed on a screen and with `-o wide`; a configuration can change a hundred thousand. */
const mostListed = { onScreen: 20, wide: 100 };

/** One row for each change of a queue; the first row shows the effect on its clock. */
export function changeLines(changes: readonly QueueChange[], { style, width, format }: Invocation): string[] {
  if (changes.length === 0) return [];
  const titles = ['QUEUE', 'WHAT', 'FROM', 'TO', 'CHANGE'];
  const columns = [
    ...titles.map((title) => ({ title, wraps: 'words' as const })),
    { title: 'CLOCK', wraps: 'words' as const },
  ];
  const most = format === 'wide' ? mostListed.wide : mostListed.onScreen;
  const left = changes.length - most;
  const rows = changes.slice(0, most).flatMap(rowsOf);
  return [
    ...tableLines(columns, rows, { width, style }),
    ...(left > 0
      ? [
          `… and ${counted(left, 'more queue')}; ${format === 'wide' ? '' : '-o wide shows more, '}-o json all`,
        ]
      : []),
  ];
}

function rowsOf({ queue, gone, previous, current, clock }: QueueChange): Cell[][] {
  // A removed queue needs no rows for its single values.
  if (gone) return [[queue, 'queue', '', '', 'removed', clock]];
  const rows = maxRows(previous, current);
  if (previous.delayMs !== current.delayMs) {
    rows.push([
      'delay',
      durationText(previous.delayMs / 1000),
      durationText(current.delayMs / 1000),
      'changed',
    ]);
  }
  if (rows.length === 0) rows.push(['queue', '', '', 'changed']);
  return rows.map((row, index) => (index === 0 ? [queue, ...row, clock] : ['', ...row]));
}

function maxRows(previous: QuotaValues, current: QuotaValues): Cell[][] {
  if (previous.maxShare !== undefined || current.maxShare !== undefined) return shareRow(previous, current);
  const types = [...new Set([...Object.keys(previous.max ?? {}), ...Object.keys(current.max ?? {})])].sort();
  return types.flatMap((type) => maxRow(type, previous.max?.[type], current.max?.[type]));
}

/** A share of the cluster, with its current amounts. */
function shareRow(previous: QuotaValues, current: QuotaValues): Cell[][] {
  if (previous.maxShare === current.maxShare) return [];
  const [before, after] = comparableLimits(previous, current);
  const lower = Object.entries(after ?? {}).some(([type, amount]) => amount < (before?.[type] ?? Infinity));
  return [['max', limitText(previous), limitText(current), changeCell(lower)]];
}

const changeCell = (lower: boolean): Cell =>
  lower ? { text: 'lower', tone: 'doubtful' } : { text: 'raise', tone: 'plain' };

/** No limit is higher than any. */
function maxRow(type: string, from: number | undefined, to: number | undefined): Cell[][] {
  if (from === to) return [];
  const lower = to !== undefined && (from === undefined || to < from);
  const shown = (amount: number | undefined) =>
    amount === undefined ? `no limit (${type})` : amountText(type, amount);
  return [['max', shown(from), shown(to), changeCell(lower)]];
}
