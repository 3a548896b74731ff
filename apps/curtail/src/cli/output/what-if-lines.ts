import type { AlternativeOutcome, VictimGroup, WhatIf } from '#api-client';
import { counted, nodeLabelsText } from '#contracts';
import type { Invocation } from '../invocation/invocation.js';
import { printable } from '../terminal/printable.js';
import { amountsText, durationText, hoursText } from './amounts.js';
import { ceilingLines } from './preview-lines.js';
import { type Cell, section, tableLines } from './table.js';
import { clockText } from './time.js';

/** Alternatives side by side, then each with its victims by queue, owner and application. */
export function whatIfLines(answer: WhatIf, invocation: Invocation): string[] {
  const { partition, at, mode, alternatives } = answer;
  const columns = [
    { title: 'ALTERNATIVE', wraps: 'words' as const },
    { title: 'QUOTAS', wraps: 'words' as const },
    { title: 'VICTIMS', wraps: 'words' as const },
    { title: 'RESOURCES', wraps: 'items' as const },
    { title: 'WORK LOST', wraps: 'items' as const },
    { title: 'FIRST RUN', wraps: 'words' as const },
    { title: 'ABOVE QUOTA', wraps: 'words' as const },
  ];
  return [
    `partition ${partition}, with the allocations of ${clockText(at)}${mode === 'observe' ? '; it only observes: nothing would be evicted' : ''}`,
    '',
    ...tableLines(
      columns,
      alternatives.map((one) => row(one, at)),
      invocation,
    ),
    ...alternatives.flatMap((one) => alternativeLines(one, invocation, alternatives.length > 1)),
  ];
}

function row(one: AlternativeOutcome, at: string): Cell[] {
  const { name, errors, victims = 0, resources = {}, lost = {}, firstDueAt } = one;
  if (errors)
    return [
      printable(name),
      '-',
      { text: `refused: ${counted(errors.length, 'error')}`, tone: 'bad' },
      '-',
      '-',
      '-',
      '-',
    ];
  const { stays = [], held = 0, waitsForApproval = 0, quotaPreemptionEnabled, nodeLabels } = one;
  const count = held === 0 ? String(victims) : `${victims}, ${held} spared by a stop`;
  const first = firstDueAt ? firstText(secondsBetween(at, firstDueAt)) : '-';
  return [
    printable(name),
    quotasText(one),
    quotaPreemptionEnabled
      ? count
      : nodeLabels
        ? `none is planned: ${printable(nodeLabelsText(nodeLabels))}`
        : 'none: enforcement is off',
    amountsText(resources),
    hoursText(lost),
    waitsForApproval === 0 && !one.ceiling ? first : `${first}, after approval`,
    stays.length === 0 ? '-' : counted(stays.length, 'queue'),
  ];
}

/** `2`, or `2, removes 100`. */
function quotasText({ changedQuotas = 0, ...one }: AlternativeOutcome): string {
  const removed = removedQueues(one);
  if (removed === 0) return String(changedQuotas);
  const changed = changedQuotas - removed;
  return changed > 0 ? `${changed}, removes ${removed}` : `removes ${removed}`;
}

const removedQueues = ({
  removed = [],
  moreRemoved = 0,
}: Pick<AlternativeOutcome, 'removed' | 'moreRemoved'>) => removed.length + moreRemoved;

/** Removed queues that are listed. */
const mostRemoved = 10;

/** What runs in removed queues has no quota any more: it is no victim, and a file that lacks queues is often not the whole one. */
function removedLines({ removed = [], ...one }: AlternativeOutcome, invocation: Invocation): string[] {
  if (removed.length === 0) return [];
  const shown = removed
    .toSorted((a, b) => Number(isSome(b.usage)) - Number(isSome(a.usage)))
    .slice(0, mostRemoved);
  const more = removedQueues({ removed, ...one }) - shown.length;
  return [
    ...tableLines(
      [
        { title: 'QUEUE', holds: 'paths' },
        { title: 'RUNS ON WITHOUT A QUOTA', wraps: 'items' },
      ],
      shown.map(({ queue, usage }) => [queue, isSome(usage) ? amountsText(usage) : '-']),
      invocation,
    ),
    ...(more > 0 ? [`and ${counted(more, 'more queue')}: -o json lists them`] : []),
  ];
}

const isSome = (amounts: Readonly<Record<string, number>>) => Object.keys(amounts).length > 0;

const firstText = (seconds: number) => (seconds === 0 ? 'now' : `in ${durationText(seconds)}`);

const secondsBetween = (at: string, later: string) =>
  Math.max(0, Math.round((Date.parse(later) - Date.parse(at)) / 1000));

function alternativeLines(
  one: AlternativeOutcome,
  invocation: Invocation,
  isOneOfSeveral: boolean,
): string[] {
  const { byQueue, byOwner, byApplication, stays = [], lowest = [], notPlanned = 0 } = one;
  const groups = [
    ['QUEUE', byQueue],
    ['OWNER', byOwner],
    ['APPLICATION', byApplication],
  ] as const;
  const lines = [
    ...ceilingLines(one.ceiling),
    ...section('WOULD BE REMOVED', removedLines(one, invocation), invocation),
    ...groups.flatMap(([title, group]) =>
      group ? section(`BY ${title}`, groupLines(title, group, invocation), invocation) : [],
    ),
    ...section(
      'STAYS ABOVE ITS QUOTA',
      tableLines(
        [
          { title: 'QUEUE', holds: 'paths' as const },
          { title: 'ABOVE', wraps: 'items' as const },
          { title: 'BECAUSE', wraps: 'words' as const, under: true },
        ],
        stays.map(({ queue, above, because }) => [queue, amountsText(above), printable(because)]),
        invocation,
      ).slice(stays.length === 0 ? 1 : 0),
      invocation,
    ),
    ...section(
      'LOWEST QUOTA WITHOUT VICTIMS',
      lowest.map(
        ({ queue, text }) =>
          `${queue}  ${Object.entries(text)
            .map(([type, quantity]) => `${type}=${quantity}`)
            .join(' ')}`,
      ),
      invocation,
    ),
    ...(notPlanned > 0 ? ['', `${counted(notPlanned, 'more clock')} would run; they were not planned`] : []),
  ];
  return isOneOfSeveral && lines.length > 0 ? ['', `== ${printable(one.name)}`, ...lines] : lines;
}

function groupLines(
  title: string,
  { items, more }: { items: VictimGroup[]; more: number },
  invocation: Invocation,
): string[] {
  if (items.length === 0) return [];
  const columns = [
    { title, holds: title === 'QUEUE' ? ('paths' as const) : ('ids' as const) },
    { title: 'VICTIMS', align: 'right' as const },
    { title: 'RESOURCES', wraps: 'items' as const },
    { title: 'WORK LOST', wraps: 'items' as const },
  ];
  const rows = items.map(({ name, victims, resources, lost }) => [
    name === '' ? '-' : printable(name),
    String(victims),
    amountsText(resources),
    hoursText(lost),
  ]);
  return [
    ...tableLines(columns, rows, invocation),
    ...(more > 0 ? [`and ${more} more with fewer victims`] : []),
  ];
}
