import type { Attention, Enforcement, PartitionSituation, Status } from '#api-client';
import { counted, freesNothing, moreRoom, nodeLabelsText, waitingForApproval } from '#contracts/ground';
import type { Invocation } from '../invocation/invocation.js';
import { printable } from '../terminal/printable.js';
import { amountsText, durationText } from './amounts.js';
import { placeOf, runbookLines } from './inventory-lines.js';
import { section, tableLines } from './table.js';
import { agoText, clockText, isMoved, startClockText, startText, withClockTimes } from './time.js';
import { hanging } from './width.js';

/** One screen: what needs attention, then each partition, then the log. */
export function statusLines(
  { attention, down = [], incomplete = false, partitions, consumers, unread, deadLetters }: Status,
  invocation: Invocation,
  now: number,
): string[] {
  const first = [...downLines(down, invocation), ...attentionLines(attention, invocation)];
  if (incomplete) {
    return [
      ...first,
      '',
      ...hanging('Nothing else is known while the database does not answer.', invocation.width),
    ];
  }
  return [
    ...first,
    ...partitions.flatMap((partition) => ['', ...partitionLines(partition, invocation, now)]),
    ...(partitions.length === 0 ? ['', 'No configuration is in force.'] : []),
    '',
    ...hanging(
      `Log: ${isSilent(down, 'kafka') ? 'it is not known how far consumers are behind, since Kafka does not answer' : lagText(consumers)}; ${counted(deadLetters, 'dead letter', 'dead letters')}.`,
      invocation.width,
    ),
    ...(unread === 0
      ? []
      : hanging(
          `Kafka: ${counted(unread, 'report', 'reports')} of schedulers not applied yet.`,
          invocation.width,
        )),
  ];
}

/** What needs attention, and each partition in a sentence. Nothing in them changes only because time passes. */
export function statusSentences({ attention, partitions, deadLetters }: Status): string[] {
  return [
    ...(attention.length === 0
      ? ['Nothing needs attention.']
      : attention.map(({ message }) => `Needs attention: ${withClockTimes(message)}`)),
    ...partitions.map((situation) => {
      const above = counted(situation.above.count, 'queue', 'queues');
      return `Partition ${situation.partition}: ${above} above ${situation.above.count === 1 ? 'its' : 'their'} quota, ${clocksAndRuns(situation)}`;
    }),
    ...(deadLetters > 0 ? [`Log: ${counted(deadLetters, 'dead letter', 'dead letters')}.`] : []),
  ];
}

/** What is down, in the first line. */
function downLines(down: NonNullable<Status['down']>, { style, width }: Invocation): string[] {
  if (down.length === 0) return [];
  const named = down.map(({ name, reason }) => `${printable(name)} (${printable(reason)})`).join('; ');
  return hanging(style('bad', `DOWN: ${named}`), width);
}

const isSilent = (down: NonNullable<Status['down']>, server: string) =>
  down.some(({ name }) => name === server);

function attentionLines(attention: readonly Attention[], invocation: Invocation): string[] {
  const { style, width } = invocation;
  if (attention.length === 0) return [style('good', 'Nothing needs attention.')];
  return [
    style('bad', `NEEDS ATTENTION (${attention.length})`),
    ...attention.flatMap(({ message, remedy, runbook }) => [
      ...hanging(withClockTimes(printable(message)), width),
      ...hanging(`to do: ${invocation.hint(withClockTimes(printable(remedy)))}`, width, '  '),
      ...runbookLines(runbook, width),
    ]),
  ];
}

/** Reasons after which no run follows by itself, whatever the time. */
export const needsRequest: ReadonlySet<string> = new Set([
  ...['quota-not-met', 'best-effort', 'impossible', 'satisfied', 'cancelled', 'rejected'],
]);

/** ` To enforce it: …`, what has to change before a run could free anything, or nothing where a run follows by itself. */
export function whatEnforces({ queue, code, blocked }: QueueAbove, place: string): string {
  if (!needsRequest.has(code)) return '';
  if (freesNothing(blocked)) return ` A run would free nothing more: ${moreRoom}.`;
  return ` To enforce it: curtail enforce ${queue}${place}`;
}

type QueueAbove = PartitionSituation['above']['first'][number];

function partitionLines(situation: PartitionSituation, invocation: Invocation, now: number): string[] {
  const { above, due, running, waiting } = situation;
  const { style, width } = invocation;
  return [
    ...hanging(style('title', headOf(situation, now)), width),
    ...hanging(clocksAndRuns(situation), width),
    ...situation.stops.flatMap(({ queue, by, reason, since }) =>
      hanging(
        `Stopped: ${printable(queue ?? 'the whole partition')}, by ${printable(by)} ${agoText(since, now)}${reason ? ` (${printable(reason)})` : ''}.`,
        width,
      ),
    ),
    ...situation.freezes.flatMap(({ queue, until, by, reason }) =>
      hanging(
        `Frozen: ${printable(queue ?? 'the whole partition')}, until ${clockText(until)}, by ${printable(by)}${reason ? ` (${printable(reason)})` : ''}.`,
        width,
      ),
    ),
    ...schedulerLines(situation, invocation, now),
    ...section(
      `ABOVE THEIR QUOTA${partOf(above)}`,
      above.count === 0
        ? []
        : tableLines(
            [
              { title: 'QUEUE', holds: 'paths' },
              { title: 'ABOVE', wraps: 'items' },
              { title: 'WHY', wraps: 'words' },
            ],
            above.first.map((one) => [
              one.queue,
              amountsText(one.above),
              `${withClockTimes(one.reason)}${invocation.hint(whatEnforces(one, placeOf(situation)))}`,
            ]),
            invocation,
          ),
      invocation,
    ),
    ...section(
      `DUE NEXT${partOf(due)}`,
      due.count === 0
        ? []
        : tableLines(
            [
              { title: 'QUEUE', holds: 'paths' },
              { title: 'DUE', holds: 'times' },
              { title: 'AT', holds: 'times' },
              { title: 'ENFORCEMENT', holds: 'ids' },
              ...(due.first.some(isMoved) ? [{ title: 'WHY', wraps: 'words', under: true } as const] : []),
            ],
            due.first.map((clock) => [
              clock.queue,
              startText(clock, now),
              startClockText(clock),
              clock.enforcement ?? '-',
              isMoved(clock) ? withClockTimes(clock.waiting.message) : '-',
            ]),
            invocation,
          ),
      invocation,
    ),
    ...section(
      `WAITING FOR APPROVAL${partOf(waiting)}`,
      runLines(waiting.first, invocation, now),
      invocation,
    ),
    ...section(`RUNNING${partOf(running)}`, runLines(running.first, invocation, now), invocation),
  ];
}

function headOf(
  { partition, mode, limited, queues, version, appliedAt, quotaPreemptionEnabled: on }: PartitionSituation,
  now: number,
): string {
  const because = limited ? 'observed (CURTAIL_MODE=observe)' : 'observed';
  const inForce = on === false ? 'enforced, but not its quotas' : 'enforced';
  const enforced = mode === 'observe' ? `${because}, nothing is evicted` : inForce;
  const configured =
    version === null
      ? 'no configuration'
      : `${counted(queues, 'queue', 'queues')}, configuration ${version} applied ${agoText(appliedAt, now)}`;
  return `Partition ${partition}: ${enforced}; ${configured}`;
}

function clocksAndRuns({
  due,
  suspended,
  running,
  waiting,
  quotaPreemptionEnabled,
  nodeLabels,
}: PartitionSituation): string {
  const parts = [
    counted(due.count, 'clock runs', 'clocks run'),
    ...(suspended > 0 ? [`${suspended} suspended`] : []),
    `${counted(running.count, 'run', 'runs')} in progress`,
    ...(waiting.count > 0 ? [`${waiting.count} ${waitingForApproval}`] : []),
    ...(nodeLabels
      ? [`nothing is enforced: ${printable(nodeLabelsText(nodeLabels))}`]
      : quotaPreemptionEnabled === false
        ? ['quota preemption is off']
        : []),
  ];
  return `${parts.join(', ')}.`;
}

function schedulerLines({ inventory }: PartitionSituation, { width }: Invocation, now: number): string[] {
  if (!inventory) return [];
  const { known, lastReportAt, notices } = inventory;
  const last = lastReportAt === null ? 'it has never reported' : `last report ${agoText(lastReportAt, now)}`;
  const [notice] = notices;
  const why = known || !notice ? '' : `: ${withClockTimes(printable(notice.message))}`;
  return hanging(`Scheduler: ${last}${known ? '' : `; Curtail waits for it${why}`}.`, width);
}

function runLines(runs: readonly Enforcement[], invocation: Invocation, now: number): string[] {
  if (runs.length === 0) return [];
  const waits = runs.some(({ waiting }) => waiting);
  return tableLines(
    [
      { title: 'ENFORCEMENT', holds: 'ids' },
      { title: 'QUEUE', holds: 'paths' },
      { title: 'STATE' },
      { title: 'EVICTED', align: 'right' },
      { title: 'STARTED', holds: 'times' },
      ...(waits ? [{ title: 'WHY', wraps: 'words', under: true } as const] : []),
    ],
    runs.map(({ enforcement, queue, round, state, evicted, victims, startedAt, waiting }) => [
      enforcement,
      round === null ? queue : `all, round ${round}`,
      state === 'approved' ? 'executing, approved' : state,
      `${evicted} of ${victims}`,
      agoText(startedAt, now),
      withClockTimes(waiting?.message ?? '-'),
    ]),
    invocation,
  );
}

const partOf = ({ count, first }: { count: number; first: readonly unknown[] }) =>
  count > first.length ? ` (${first.length} of ${count})` : ` (${count})`;

function lagText(consumers: Status['consumers']): string {
  const behind = consumers.filter(({ lag }) => lag > 0);
  if (behind.length === 0) return 'all events are handled';
  return behind
    .map(
      ({ name, lag, ageSeconds }) =>
        // Fractions of a second are the normal delay.
        `${name} is ${counted(lag, 'event', 'events')}${ageSeconds < 1 ? '' : ` (${durationText(Math.round(ageSeconds))})`} behind`,
    )
    .join(', ');
}
