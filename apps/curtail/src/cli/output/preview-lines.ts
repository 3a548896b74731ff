import type { Preview, QueuePreview } from '#api-client';
import { counted } from '#contracts';
import type { Invocation } from '../invocation/invocation.js';
import { printable } from '../terminal/printable.js';
import { labelLines, onByDefaultLines } from './applied-lines.js';
import { changeLines, changesSentence, withGuaranteed } from './change-lines.js';
import { policyLines, propertyLines, runningLines } from './configuration-lines.js';
import { foreseenLines, laterText } from './foreseen-lines.js';
import { planLines } from './plan-lines.js';
import type { Cell } from './table.js';

/** The changes that a configuration would make in one partition, and the plans that would follow for the current allocations. */
export function previewLines(preview: Preview, invocation: Invocation): string[] {
  const { partition, changed, pending = [], removed, victims, notPlanned } = preview;
  const on = preview.quotaPreemptionEnabled;
  const others = pendingVictims(preview);
  const affected = new Map(
    pending.filter(({ clock }) => clock.effect !== 'none').map((one) => [one.queue, one]),
  );
  const changes = withGuaranteed(
    [
      ...changed.map((change) => ({
        queue: change.queue,
        gone: false,
        previous: change.previous,
        current: change.current,
        clock: on ? clockCell(change, preview.at) : 'off',
      })),
      ...removed.map(({ queue, previous, clock }) => ({
        queue,
        gone: true,
        previous,
        current: { max: null, delayMs: 0 },
        clock: removalCell(clock),
      })),
    ],
    preview.guaranteedChanged,
    (queue) => {
      const follows = affected.get(queue);
      return follows && clockCell(follows, preview.at);
    },
  );
  return [
    ...onByDefaultLines(preview.warnings),
    `partition ${partition}: ${changesSentence(changes, true)}, ${victims === 0 ? 'nothing' : counted(victims, 'allocation')} would be evicted${others === 0 ? '' : `; ${others} by clocks that are pending already`}`,
    ...ceilingLines(preview.ceiling),
    ...labelLines(preview.nodeLabels),
    ...switchLines(preview),
    ...policyLines(preview.policyChanges, true),
    ...propertyLines(preview.propertiesChanged, true),
    ...changeLines(changes, invocation),
    ...runningLines(preview, invocation),
    ...(on ? foreseenLines(preview, invocation) : []),
    ...preview.rounds.flatMap(({ policy, plan, planFault }) => [
      '',
      `the next round of ${policy}${planFault === undefined ? ' would choose other victims than now:' : ` fails: ${printable(planFault)}`}`,
      ...(plan ? planLines(plan, invocation, { reasons: true }) : []),
    ]),
    ...(notPlanned > 0 ? ['', `${counted(notPlanned, 'more clock')} would run; they were not planned`] : []),
  ];
}

export function ceilingLines(ceiling: Preview['ceiling'] | undefined): string[] {
  return ceiling ? [`needs one approval for the whole change: ${printable(ceiling.message)}`] : [];
}

/** For clocks that the change does not affect. */
function pendingVictims({ pending = [] }: Preview): number {
  return pending
    .filter(
      ({ clock, waitsFor = [] }) => clock.effect === 'none' && !waitsFor.some((wait) => wait.for === 'mode'),
    )
    .reduce((sum, { plan, held = [] }) => sum + (plan?.victims.length ?? 0) - held.length, 0);
}

function switchLines({
  quotaPreemptionEnabled: on,
  previousQuotaPreemptionEnabled: before,
  nodeLabels,
}: Preview): string[] {
  if (on === before) return on || nodeLabels ? [] : ['enforcement of its quotas is off: no clock runs'];
  return [`enforcement of its quotas would be ${on ? 'on' : 'off: no clock would run'}`];
}

/** Of a removed queue; undefined where the server does not say it. */
const removalCell = (clock: QueuePreview['clock'] | undefined): Cell =>
  clock?.effect === 'none'
    ? `no effect: ${clock.because}`
    : `cancels: ${clock?.because ?? 'the queue leaves the configuration'}`;

function clockCell(
  { clock: { effect, because }, dueAt }: Pick<QueuePreview, 'clock' | 'dueAt'>,
  at: string,
): Cell {
  if (effect === 'cancels') return `cancels: ${because}`;
  if (dueAt === undefined) return effect === 'none' ? `no effect: ${because}` : `${effect}: ${because}`;
  const later = dueAt === null ? undefined : laterText(dueAt, at);
  const due =
    dueAt === null ? 'a stop holds it' : `a run is due ${later === undefined ? 'at once' : `${later} later`}`;
  return { text: `${effect === 'none' ? 'no effect' : effect}: ${because}; ${due}`, tone: 'doubtful' };
}
