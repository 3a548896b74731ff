import type { PendingPreview, Preview, QueuePreview, Rounds, Timer } from '#api-client';
import { counted } from '#contracts';
import type { Invocation } from '../invocation/invocation.js';
import { printable } from '../terminal/printable.js';
import { durationText } from './amounts.js';
import { placeOf } from './inventory-lines.js';
import { planLines } from './plan-lines.js';
import { type Cell, section, tableLines } from './table.js';
import { clockText, withClockTimes } from './time.js';

type Run = (QueuePreview | PendingPreview) & { order: number };

const isRun = (preview: QueuePreview | PendingPreview): preview is Run => preview.order !== undefined;

/**
 * The runs of a preview in the order in which they start, with their plans. Of clocks that were already pending and stay unchanged,
 * only those that would evict.
 */
export function foreseenLines(preview: Preview, invocation: Invocation): string[] {
  const { changed, pending = [] } = preview;
  const isOwn = new Set<object>(changed);
  const runs = [
    ...changed,
    ...pending.filter(({ clock, plan }) => clock.effect !== 'none' || plan?.victims.length),
  ]
    .filter(isRun)
    .sort((a, b) => a.order - b.order);
  const hasRuns =
    runs.length > 1 || runs.some((run) => !isOwn.has(run) || run.waitsFor?.length || run.held?.length);
  return [
    ...(hasRuns ? section('RUNS', runLines(runs, preview, invocation), invocation) : []),
    ...runs.flatMap(({ queue, planFault }) =>
      planFault === undefined ? [] : ['', `${queue}: no plan can be made: ${printable(planFault)}`],
    ),
    ...runs.flatMap(({ plan }) => (plan ? ['', ...planLines(plan, invocation, { reasons: true })] : [])),
  ];
}

function runLines(runs: readonly Run[], { at }: Preview, invocation: Invocation): string[] {
  const columns = [
    { title: 'QUEUE', holds: 'paths' as const },
    { title: 'CLOCK' },
    { title: 'DUE', wraps: 'words' as const },
    { title: 'VICTIMS', wraps: 'words' as const },
    { title: 'WAITS FOR', wraps: 'words' as const, under: true },
  ];
  const rows = runs.map((run): Cell[] => [
    run.queue,
    run.clock.effect === 'none' ? 'pending' : 'new',
    dueCell(run, at),
    victimsCell(run),
    run.waitsFor?.length
      ? { text: withClockTimes(run.waitsFor.map(({ because }) => because).join(' ')), tone: 'doubtful' }
      : '-',
  ]);
  return tableLines(columns, rows, invocation);
}

function dueCell({ dueAt, current }: Run, at: string): Cell {
  if (dueAt) return inText(dueAt, at);
  if (dueAt === undefined) return 'no delay';
  return `${durationText(current.delayMs / 1000)} after the stop`;
}

function victimsCell({ plan, held = [] }: Run): Cell {
  if (!plan) return 'no plan';
  const count = String(plan.victims.length);
  return held.length === 0 ? count : { text: `${count}, ${held.length} spared by a stop`, tone: 'doubtful' };
}

/** Time from the preview to a later moment; undefined if a clock is due already, or overdue. */
export function laterText(dueAt: string, at: string): string | undefined {
  const seconds = (Date.parse(dueAt) - Date.parse(at)) / 1000;
  return seconds > 0 ? durationText(seconds) : undefined;
}

/** `in 12 s`, or `now`. */
function inText(dueAt: string, at: string): string {
  const later = laterText(dueAt, at);
  return later === undefined ? 'now' : `in ${later}`;
}

/** Next steps for runs that would wait for an operator. */
export function nextForWaiting(previews: readonly Preview[]): string[] {
  const waits = (cause: string) =>
    previews.flatMap(({ partition, changed, pending = [] }) =>
      [...changed, ...pending]
        .flatMap(({ waitsFor = [] }) => waitsFor)
        .filter((wait) => wait.for === cause)
        .map(({ queue }) => ({ partition, queue })),
    );
  const approvals = waits('approval');
  const [approval] = approvals;
  const whole = previews.find(({ ceiling }) => ceiling);
  const [stop] = waits('stop');
  const below = stop?.queue ? ` --queue ${stop.queue}` : '';
  return [
    ...(whole
      ? [
          `next: once its runs wait, approve the whole change: curtail get configurations${placeOf(whole)}, curtail approve --configuration VERSION${placeOf(whole)}`,
        ]
      : []),
    ...(approval && !whole
      ? [
          `next: ${counted(approvals.length, 'run')} will wait for approval: curtail get enforcements${placeOf(approval)}, curtail approve ID`,
        ]
      : []),
    ...(stop ? [`next: resume what a stop holds: curtail resume${below}${placeOf(stop)}`] : []),
  ];
}

type Foresight = Timer['foresight'];

/** What the run of a clock would evict now; `-`: it is not known. */
export const foreseenCell = (foresight: Foresight): string =>
  foresight ? `${foresight.victims}${foresight.moreApplications > 0 ? ' or more' : ''}` : '-';

/** The owners who were notified in advance, when, and of how many victims; empty: none. */
export function foresightSentence(foresight: Foresight): string {
  if (!foresight) return '';
  const { victims, applications, moreApplications, notifiedAt, checkedAt, fault } = foresight;
  const old = fault === null ? '' : ` No newer plan could be made: ${fault}`;
  if (applications === 0)
    return `At ${clockText(checkedAt)} its run would have evicted nothing, so no owner is notified.${old}`;
  const more = moreApplications > 0 ? `; ${counted(moreApplications, 'more application')} not notified` : '';
  const owners =
    applications === 1 ? 'The owner of 1 application is' : `The owners of ${applications} applications are`;
  return `${owners} notified of ${counted(victims, 'victim')} (last at ${clockText(notifiedAt)}${more}).${old}`;
}

/** At most this many names are printed; the others are counted. */
const mostNamed = 3;

/** Sentences that list what rounds of a policy exempt for a while, why, and until when; empty if nothing is exempt. */
export function exemptSentences({ exempt }: Pick<Rounds, 'exempt'>): string[] {
  const of = (kind: Rounds['exempt'][number]['kind']) => exempt.filter((one) => one.kind === kind);
  return [
    ...sentence(of('application'), 'operation', 'an operator rejected a plan to take from'),
    ...sentence(of('allocation'), 'allocation', 'the cluster refused to evict'),
  ];
}

function sentence(those: Rounds['exempt'], what: string, since: string): string[] {
  const last = those
    .map(({ until }) => until)
    .sort()
    .at(-1);
  if (last === undefined) return [];
  const named = those.slice(0, mostNamed).map(({ name }) => printable(name));
  const more = those.length - named.length;
  const names = `${named.join(', ')}${more > 0 ? ` and ${counted(more, `more ${what}`)}` : ''}`;
  const it = those.length === 1 ? 'it' : 'them';
  return [`Exempt until ${clockText(last)}: ${names}, since ${since} ${it}.`];
}
