import type { AmountChange, ConfigurationDifference, QueueDifference, ShareChange } from '#configuration';
import type { Invocation } from '../invocation/invocation.js';
import { amountsText, delayText, shownAmount } from './amounts.js';
import { plainText, policyLines } from './configuration-lines.js';
import { type Cell, partitionColumn, tableLines } from './table.js';

/** One row for each change of a queue; the first row shows the effect on its clock. */
export function differenceLines(difference: ConfigurationDifference, { style, width }: Invocation): string[] {
  const { switches, policies = [], queues } = difference;
  if (switches.length + policies.length + queues.length === 0) return ['nothing changes'];
  const lines = switches.map(
    ({ partition, from, to }) =>
      `partition ${partition}: enforcement ${switchText(from)} -> ${switchText(to)}`,
  );
  for (const change of policies) {
    lines.push(...policyLines([change], true).map((line) => `partition ${change.partition}: ${line}`));
  }
  if (queues.length === 0) return lines;
  const columns = [
    partitionColumn,
    { title: 'QUEUE', holds: 'paths' as const },
    { title: 'WHAT' },
    { title: 'FROM', wraps: 'words' as const },
    { title: 'TO', wraps: 'words' as const },
    { title: 'CHANGE' },
    { title: 'CLOCK', wraps: 'words' as const },
  ];
  return [...lines, ...tableLines(columns, queues.flatMap(rowsOf), { width, style })];
}

function rowsOf(queue: QueueDifference): Cell[][] {
  const { partition, path, change, max, guaranteed, shares, properties, delay } = queue;
  const rows: Cell[][] = [
    // Where a share takes the place of amounts, or the other way round, one row has both.
    ...max.filter(isOfAmounts).map((one) => ['max', ...amountCells(one, 'no limit')]),
    ...guaranteed.filter(isOfAmounts).map((one) => ['guaranteed', ...amountCells(one, 'none')]),
    ...(shares ?? []).map((one) => shareCells(one, queue[one.of])),
    ...(properties ?? []).map(({ name, from, to }) => [name, plainText(from), plainText(to), 'changed']),
  ];
  if (delay) rows.push(['delay', delayText(delay.from), delayText(delay.to), 'changed']);
  if (change !== 'changed') rows.unshift(['queue', '', '', change]);
  return rows.map((row, index) =>
    index === 0 ? [partition, path, ...row, clockText(queue)] : ['', '', ...row],
  );
}

const isOfAmounts = ({ change }: AmountChange): boolean => change !== 'depends';

function amountCells({ type, change, from, to }: AmountChange, nothing: string): Cell[] {
  const shown = (amount: bigint | null) =>
    amount === null ? `${nothing} (${type})` : shownAmount(type, amount);
  return [shown(from), shown(to), directionCell(change)];
}

function shareCells({ of, change, from, to }: ShareChange, amounts: readonly AmountChange[]): Cell[] {
  const nothing = of === 'max' ? 'no limit' : 'none';
  const shown = (share: string | null, side: 'from' | 'to') => {
    if (share !== null) return `${share} of the cluster`;
    const written = amounts.flatMap(({ type, [side]: amount }) => (amount === null ? [] : [[type, amount]]));
    return written.length > 0 ? amountsText(Object.fromEntries(written)) : nothing;
  };
  return [of, shown(from, 'from'), shown(to, 'to'), directionCell(change)];
}

function directionCell(change: AmountChange['change']): Cell {
  const text = change === 'depends' ? 'depends on the cluster' : change;
  return { text, tone: change === 'raise' ? 'plain' : 'doubtful' };
}

function clockText({ clock, because }: QueueDifference): Cell {
  const tone = clock === 'starts or restarts' ? 'doubtful' : 'plain';
  return { text: clock === 'none' ? `no effect: ${because}` : `${clock}: ${because}`, tone };
}

function switchText(on: boolean | null): string {
  return on === null ? 'not there' : on ? 'on' : 'off';
}
