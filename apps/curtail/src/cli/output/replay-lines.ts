import type { DigestReplay, ProjectionsReplay, ShadowReplay } from '#api-client';
import { counted } from '#contracts';
import type { Invocation } from '../invocation/invocation.js';
import { amountsText } from './amounts.js';
import { tableLines } from './table.js';

type Screen = Pick<Invocation, 'style' | 'width'>;

export function digestLines(
  { plans, same, different, notKept }: DigestReplay,
  { style, width }: Screen,
): string[] {
  if (plans === 0) return [noPlans];
  const otherwise = plans - same - notKept;
  const parts = [
    style('good', `${same} came out the same`),
    ...(otherwise > 0 ? [style('bad', `${otherwise} came out differently`)] : []),
    ...(notKept > 0 ? [style('doubtful', notKeptText(notKept))] : []),
  ];
  const head = `${counted(plans, 'plan')} read: ${parts.join(', ')}`;
  if (different.length === 0) return [head];
  const columns = [
    { title: 'ENFORCEMENT', holds: 'ids' as const },
    { title: 'QUEUE', holds: 'paths' as const },
    { title: 'RECORDED' },
    { title: 'REPLAYED' },
  ];
  const rows = different.map(({ enforcement, queue, recorded, replayed, because }) => [
    enforcement,
    queue,
    recorded.slice(0, 16),
    replayed?.slice(0, 16) ?? `no plan: ${because}`,
  ]);
  return [head, ...tableLines(columns, rows, { width, style }), ...unlisted(otherwise, different.length)];
}

export function projectionsLines(
  { events, runs, victims, notices, unreadable }: ProjectionsReplay,
  { style }: Screen,
): string[] {
  const head = `${counted(events, 'event')} read into ${counted(runs, 'run')}, ${counted(victims, 'victim')} and ${counted(notices, 'notice')}, now in use`;
  if (unreadable.count === 0) return [head];
  return [
    head,
    style('doubtful', `${counted(unreadable.count, 'event')} left out, which this version cannot read:`),
    ...unreadable.first.map((sentence) => `  ${sentence}`),
  ];
}

export function shadowLines(found: ShadowReplay, { style, width }: Screen): string[] {
  const {
    plans,
    same,
    differ,
    different,
    notKept,
    recorded,
    shadow,
    added,
    removed,
    notConcerned = 0,
  } = found;
  if (plans === 0) return [noPlans];
  const lines = [
    `${counted(plans, 'plan')} recomputed with ${JSON.stringify(found.settings)}: ${differ} would differ, ${same} would not`,
    ...(notConcerned > 0
      ? [
          style(
            'doubtful',
            `${counted(notConcerned, 'plan')} of a policy that has none of these settings ${notConcerned === 1 ? 'stays' : 'stay'} as recorded`,
          ),
        ]
      : []),
    ...(notKept.count > 0
      ? [style('doubtful', `${notKeptText(notKept.count)}: ${listText(notKept.first, notKept.count)}`)]
      : []),
    ...tableLines(
      [
        { title: '' },
        { title: 'VICTIMS', align: 'right' },
        { title: 'ADDED', align: 'right' },
        { title: 'REMOVED', align: 'right' },
        { title: 'HOLDING', wraps: 'items' },
      ],
      [
        ['as recorded', String(recorded.victims), '-', '-', amountsText(recorded.freed)],
        [
          'with the settings',
          String(shadow.victims),
          String(added),
          String(removed),
          amountsText(shadow.freed),
        ],
      ],
      { width, style },
    ),
  ];
  if (different.length === 0) return lines;
  const columns = [
    { title: 'ENFORCEMENT', holds: 'ids' as const },
    { title: 'QUEUE', holds: 'paths' as const },
    { title: 'OUTCOME', wraps: 'words' as const },
    { title: 'VICTIMS' },
    ...['ADDED', 'REMOVED', 'MORE', 'LESS'].map((title) => ({ title, wraps: 'items' as const })),
  ];
  const rows = different.map((run) => [
    run.enforcement,
    run.queue,
    run.outcome === run.shadowOutcome
      ? run.outcome
      : `${run.outcome} → ${run.shadowOutcome ?? `no plan: ${run.because}`}`,
    `${run.victims} → ${run.shadowVictims}`,
    namesText(run.added, run.addedFirst),
    namesText(run.removed, run.removedFirst),
    amountsText(amountsOf(run.freedDifference, 1)),
    amountsText(amountsOf(run.freedDifference, -1)),
  ]);
  return [
    ...lines,
    '',
    ...tableLines(columns, rows, { width, style }),
    ...unlisted(differ, different.length),
  ];
}

const noPlans = 'no plans were recorded in that time';

const notKeptText = (count: number) => `${count} cannot be recomputed, since their inputs are no longer kept`;

function unlisted(all: number, listed: number): string[] {
  return all > listed ? [`and ${all - listed} more`] : [];
}

function namesText(count: number, first: readonly string[]): string {
  return count === 0 ? '-' : `${count}: ${listText(first.slice(0, 3), count)}`;
}

function listText(first: readonly string[], count: number): string {
  return `${first.join(', ')}${count > first.length ? ', …' : ''}`;
}

/** The amounts that there are more of, or with -1 less. */
function amountsOf(difference: Readonly<Record<string, number>>, sign: 1 | -1): Record<string, number> {
  return Object.fromEntries(
    Object.entries(difference).flatMap(([type, amount]) =>
      amount * sign > 0 ? [[type, amount * sign]] : [],
    ),
  );
}
