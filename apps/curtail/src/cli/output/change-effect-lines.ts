import type { ChangeDecided, ChangeEffect } from '#api-client';
import { counted, waitingForApproval } from '#contracts';
import type { Invocation } from '../invocation/invocation.js';
import { amountsText } from './amounts.js';
import { foreseenCell } from './foreseen-lines.js';
import { tableLines } from './table.js';
import { clockText } from './time.js';

type Layout = Pick<Invocation, 'style' | 'width'>;

/** What all runs of a version of a configuration have evicted and would evict, by queue and by owner. */
export function changeEffectLines(effect: ChangeEffect, layout: Layout): string[] {
  const { version, planned, evicted, runs, queues, owners, clocks, moreClocks, decision } = effect;
  const waiting = runs.waiting === 0 ? '' : `, ${runs.waiting} of them ${waitingForApproval}`;
  const more = clocks.length + moreClocks;
  return [
    `configuration ${version}: ${counted(runs.open, 'open run')}${waiting}, with ${counted(planned.victims, 'victim')} (${amountsText(planned.resources)}); ${evicted} evicted before`,
    ...(decision
      ? [
          decision.until === null
            ? `rejected by user ${decision.by} at ${clockText(decision.at)}`
            : `approved by user ${decision.by} until ${clockText(decision.until)}`,
        ]
      : []),
    ...groupLines(
      'QUEUE',
      queues.map(({ queue: name, ...rest }) => ({ name, ...rest })),
      layout,
    ),
    ...groupLines(
      'OWNER',
      owners.map(({ owner: name, ...rest }) => ({ name, ...rest })),
      layout,
    ),
    ...(more === 0
      ? []
      : [
          '',
          `${counted(more, 'clock')} of it ${more === 1 ? 'is' : 'are'} still to start a run, with the victims that each would have now:`,
          ...tableLines(
            [{ title: 'QUEUE', holds: 'paths' }, { title: 'DUE' }, { title: 'VICTIMS' }, { title: 'AS OF' }],
            clocks.map(({ queue, dueAt, foresight }) => [
              queue,
              clockText(dueAt),
              foresight ? foreseenCell(foresight) : 'not known',
              foresight ? clockText(foresight.checkedAt) : '-',
            ]),
            layout,
          ),
          ...(moreClocks > 0 ? [`and ${moreClocks} more`] : []),
        ]),
  ];
}

interface Group {
  name: string;
  victims: number;
  resources: ChangeEffect['planned']['resources'];
}

function groupLines(title: string, groups: readonly Group[], layout: Layout): string[] {
  if (groups.length === 0) return [];
  return [
    '',
    ...tableLines(
      [{ title, holds: 'paths' }, { title: 'VICTIMS' }, { title: 'RESOURCES', wraps: 'items' }],
      groups.map(({ name, victims, resources }) => [
        name || '(unknown)',
        `${victims}`,
        amountsText(resources),
      ]),
      layout,
    ),
  ];
}

/** `all 12 open runs of configuration 7 are approved, and those that start until 2026-11-26 20:30:00` */
export function changeSentence({ version, approved, runs, until }: ChangeDecided): string {
  if (runs === 0)
    return approved
      ? `runs of configuration ${version} that start until ${clockText(until)} are approved; none is open now`
      : `runs of configuration ${version} that are still to start are rejected; none is open now`;
  const open = runs === 1 ? 'the open run' : `all ${runs} open runs`;
  const are = runs === 1 ? 'is' : 'are';
  return approved
    ? `${open} of configuration ${version} ${are} approved, and those that start until ${clockText(until)}`
    : `${open} of configuration ${version} ${are} rejected, and those that are still to start`;
}
