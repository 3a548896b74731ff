import type { Report } from '#api-client';
import { counted } from '#contracts';
import type { Invocation } from '../invocation/invocation.js';
import { printable } from '../terminal/printable.js';
import { hoursText } from './amounts.js';
import { tableLines } from './table.js';
import { clockText } from './time.js';
import { wrapped } from './wrapped.js';

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
