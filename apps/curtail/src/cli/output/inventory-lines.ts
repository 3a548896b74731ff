import type { InventoryStatus, PartitionInventory } from '#api-client';
import { partitionOptionText } from '#contracts/ground';
import type { Invocation } from '../invocation/invocation.js';
import { printable } from '../terminal/printable.js';
import { type Cell, type Column, partitionColumn, tableLines } from './table.js';
import { agoText, clockText, withClockTimes } from './time.js';
import { hanging } from './width.js';

const columns: readonly Column[] = [
  partitionColumn,
  { title: 'KNOWN' },
  { title: 'SOURCE', holds: 'ids' as const },
  { title: 'LAST REPORT', holds: 'times' },
  { title: 'LISTED' },
  { title: 'LISTING', align: 'right' },
  { title: 'NEWEST', align: 'right' },
];

/** A table of the partitions, then held listings, unread reports, and notices with remedies. */
export function inventoryLines(
  { items, unread }: InventoryStatus,
  invocation: Pick<Invocation, 'style' | 'width' | 'hint'>,
  now: number,
): string[] {
  const { style, width } = invocation;
  if (items.length === 0) return ['no partition is configured, and none was reported'];
  const rows = items.map((item): Cell[] => [
    item.partition,
    item.known ? { text: 'yes', tone: 'plain' } : { text: 'no', tone: 'bad' },
    item.source ?? '-',
    agoText(item.lastReportAt, now),
    agoText(item.listedAt, now),
    item.listedSequence === 0 ? '-' : String(item.listedSequence),
    item.newestSequence === 0 ? '-' : String(item.newestSequence),
  ]);
  return [
    ...tableLines(columns, rows, { width, style }),
    ...unread.map(({ place, reports }) => `unread: ${reports} on ${place}`),
    ...items.flatMap((item) => [...heldLines(item, width), ...noticeLines(item, invocation)]),
  ];
}

function heldLines({ held, partition }: PartitionInventory, width: number): string[] {
  if (held === null) return [];
  const { sequence, drops, of, queues } = held;
  const shown = queues.map((one) => `${one.queue} ${one.drops}`).join(', ');
  return hanging(
    `held: listing ${sequence} of ${partition} would remove ${drops} of ${of} running allocations: ${shown}`,
    width,
  );
}

function noticeLines(
  { notices }: PartitionInventory,
  invocation: Pick<Invocation, 'width' | 'hint'>,
): string[] {
  const { width } = invocation;
  return notices.flatMap(({ code, message, remedy, runbook, since }) => {
    const when = since === null ? '' : ` (since ${clockText(since)})`;
    return [
      ...hanging(`${code}: ${withClockTimes(message)}${when}`, width),
      ...hanging(`to do: ${invocation.hint(withClockTimes(remedy))}`, width, '  '),
      ...runbookLines(runbook, width),
    ];
  });
}

/** Below what is wrong: the page that says what to do step by step. None if it has no page. */
export function runbookLines(runbook: string | undefined, width: number): string[] {
  return runbook === undefined ? [] : hanging(`runbook: ${printable(runbook)}`, width, '  ');
}

/** The option that selects that partition, for hints. */
export function placeOf({ partition }: { partition: string }): string {
  return partitionOptionText(partition);
}
