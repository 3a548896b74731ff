import type {
  AmountChange,
  ConfigurationDifference,
  QueueDifference,
  ShareChange,
} from '@curtail/configuration';
import type { Invocation } from '../invocation/invocation.js';
import { amountText, durationText } from './amounts.js';
import { plainText, policyLines } from './policy-lines.js';
import type { Cell } from './table.js';
import { partitionColumn, tableLines } from './table.js';

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
    ...max.map((one) => ['max', ...amountCells(one, 'no limit')]),
    ...guaranteed.map((one) => ['guaranteed', ...amountCells(one, 'none')]),
    ...(shares ?? []).map(shareCells),
    ...(properties ?? []).map(({ name, from, to }) => [name, plainText(from), plainText(to), 'changed']),
  ];
  if (delay) rows.push(['delay', durationText(delay.from), durationText(delay.to), 'changed']);
  if (change !== 'changed') rows.unshift(['queue', '', '', change]);
  return rows.map((row, index) =>
    index === 0 ? [partition, path, ...row, clockText(queue)] : ['', '', ...row],
  );
}

function amountCells({ type, change, from, to }: AmountChange, nothing: string): Cell[] {
  const shown = (amount: bigint | null) =>
    amount === null ? `${nothing} (${type})` : amountText(type, amount);
  return [shown(from), shown(to), { text: change, tone: change === 'lower' ? 'doubtful' : 'plain' }];
}

function shareCells({ of, change, from, to }: ShareChange): Cell[] {
  const shown = (share: string | null) => (share === null ? 'none' : `${share} of the cluster`);
  return [of, shown(from), shown(to), { text: change, tone: change === 'lower' ? 'doubtful' : 'plain' }];
}

function clockText({ clock, because }: QueueDifference): Cell {
  const tone = clock === 'starts or restarts' ? 'doubtful' : 'plain';
  return { text: clock === 'none' ? `no effect: ${because}` : `${clock}: ${because}`, tone };
}

function switchText(on: boolean | null): string {
  return on === null ? 'not there' : on ? 'on' : 'off';
}
