import type { ChangedGuaranteed } from '#api-client';
import { comparableLimits, counted, type QuotaValues, type Resources, shareText } from '#contracts';
import type { Invocation } from '../invocation/invocation.js';
import { amountsText, delayText, fineAmountText, limitText } from './amounts.js';
import { type Cell, tableLines } from './table.js';

/** A queue whose quota changes, and what its clock does. */
export interface QueueChange {
  queue: string;
  gone: boolean;
  previous: QuotaValues;
  current: QuotaValues;
  clock: Cell;
  guaranteed?: Pick<ChangedGuaranteed, 'previous' | 'current'>;
}

/**
 * The changes of quotas, with the guaranteed amounts that change, too: in the same queue, or in one that has no other change.
 *
 * @param clockOf the effect on the clock of a queue without another change; undefined: none.
 */
export function withGuaranteed(
  changes: readonly QueueChange[],
  guaranteed: readonly ChangedGuaranteed[] = [],
  clockOf: (queue: string) => Cell | undefined = () => undefined,
): QueueChange[] {
  const left = new Map(guaranteed.map((change) => [change.queue, change]));
  const merged = changes.map((change) => {
    const own = left.get(change.queue);
    left.delete(change.queue);
    return own ? { ...change, guaranteed: own } : change;
  });
  const unchanged = { max: null, delayMs: 0 };
  return [
    ...merged,
    ...[...left.values()].map(
      (own): QueueChange => ({
        queue: own.queue,
        gone: false,
        previous: unchanged,
        current: unchanged,
        clock: clockOf(own.queue) ?? 'no effect: only plans depend on it',
        guaranteed: own,
      }),
    ),
  ];
}

/** `1 quota and 3 delays would change, 1 queue would be removed`; each is counted once for a queue. */
export function changesSentence(changes: readonly QueueChange[], isPreview: boolean): string {
  const count = (is: (change: QueueChange) => boolean) => changes.filter(is).length;
  const isQuota = ({ gone, previous, current }: QueueChange) =>
    !gone && maxRows(previous, current).length > 0;
  const isDelay = (change: QueueChange) => !change.gone && change.previous.delayMs !== change.current.delayMs;
  const [quotas, delays] = [count(isQuota), count(isDelay)];
  const guaranteed = count((change) => change.guaranteed !== undefined);
  const parts = [
    ...(quotas === 0 ? [] : [counted(quotas, 'quota')]),
    ...(delays === 0 ? [] : [counted(delays, 'delay')]),
    // Of a queue there may be several, each in a row of its own.
    ...(guaranteed === 0 ? [] : [`guaranteed amounts of ${counted(guaranteed, 'queue')}`]),
  ];
  const removed = count(({ gone }) => gone);
  const listed = [parts.slice(0, -1).join(', '), ...parts.slice(-1)]
    .filter((part) => part !== '')
    .join(' and ');
  const were = removed === 1 ? 'was' : 'were';
  const sentences = [
    ...(listed === '' ? [] : [`${listed} ${isPreview ? 'would change' : 'changed'}`]),
    ...(removed === 0 ? [] : [`${counted(removed, 'queue')} ${isPreview ? 'would be' : were} removed`]),
  ];
  return sentences.length > 0 ? sentences.join(', ') : `no quota ${isPreview ? 'would change' : 'changed'}`;
}

/** Queues listed on a screen and with `-o wide`; a configuration can change a hundred thousand. */
const mostListed = { onScreen: 20, wide: 100 };

/** One row for each change of a queue; the first row shows the effect on its clock. */
export function changeLines(changes: readonly QueueChange[], { style, width, format }: Invocation): string[] {
  if (changes.length === 0) return [];
  const titles = ['WHAT', 'FROM', 'TO', 'CHANGE', 'CLOCK'];
  const columns = [
    { title: 'QUEUE', holds: 'paths' as const },
    ...titles.map((title) => ({ title, wraps: 'words' as const })),
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

function rowsOf({ queue, gone, previous, current, clock, guaranteed }: QueueChange): Cell[][] {
  // A removed queue needs no rows for its single values.
  if (gone) return [[queue, 'queue', limitText(previous), '-', 'removed', clock]];
  const rows = maxRows(previous, current);
  if (previous.delayMs !== current.delayMs) {
    rows.push(['delay', delayText(previous.delayMs / 1000), delayText(current.delayMs / 1000), 'changed']);
  }
  if (guaranteed) rows.push(...guaranteedRows(guaranteed));
  if (rows.length === 0) rows.push(['queue', '', '', 'changed']);
  return rows.map((row, index) => (index === 0 ? [queue, ...row, clock] : ['', ...row]));
}

function maxRows(previous: QuotaValues, current: QuotaValues): Cell[][] {
  if (previous.maxShare !== undefined || current.maxShare !== undefined) return shareRow(previous, current);
  const types = [...new Set([...Object.keys(previous.max ?? {}), ...Object.keys(current.max ?? {})])].sort();
  return types.flatMap((type) => maxRow(type, previous.max?.[type], current.max?.[type]));
}

function guaranteedRows({ previous, current }: NonNullable<QueueChange['guaranteed']>): Cell[][] {
  const [before, after] = [previous.guaranteed ?? {}, current.guaranteed ?? {}];
  const types = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort();
  if (previous.guaranteedShare !== undefined || current.guaranteedShare !== undefined) {
    const lower = types.some((type) => (after[type] ?? 0) < (before[type] ?? 0));
    return [['guaranteed', guaranteedText(previous), guaranteedText(current), changeCell(lower)]];
  }
  const shown = (amounts: Resources, type: string) =>
    Object.hasOwn(amounts, type) ? fineAmountText(type, amounts[type] ?? 0) : `none (${type})`;
  return types
    .filter((type) => (before[type] ?? 0) !== (after[type] ?? 0))
    .map((type) => [
      'guaranteed',
      shown(before, type),
      shown(after, type),
      changeCell((after[type] ?? 0) < (before[type] ?? 0)),
    ]);
}

/** `25 % of the cluster (30 GB, 4 vcore)`, `30 GB`, or `none`. */
function guaranteedText({ guaranteed, guaranteedShare: share }: ChangedGuaranteed['current']): string {
  if (share === undefined) return guaranteed === null ? 'none' : amountsText(guaranteed);
  return `${shareText(share)} of the cluster${guaranteed === null ? '' : ` (${amountsText(guaranteed)})`}`;
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
    amount === undefined ? `no limit (${type})` : fineAmountText(type, amount);
  return [['max', shown(from), shown(to), changeCell(lower)]];
}
