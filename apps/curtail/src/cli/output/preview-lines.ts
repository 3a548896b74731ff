import type { Invocation } from '../invocation.js';
import type { Preview, QueuePreview } from '../server/answers.js';
import { durationText } from './amounts.js';
import { changeLines } from './change-lines.js';
import { counted } from './counted.js';
import { planLines } from './plan-lines.js';
import { policyLines } from './policy-lines.js';
import { printable } from './printable.js';
import { propertyLines } from './property-lines.js';
import type { Cell } from './table.js';

/** What a configuration would change in one partition, and the plans it would lead to by the work that runs now. */
export function previewLines(preview: Preview, invocation: Invocation): string[] {
  const { partition, changed, removed, victims, notPlanned, quotaPreemptionEnabled: on } = preview;
  const count = changed.length + removed.length;
  const quotas = count === 0 ? 'no quota would change' : `${counted(count, 'quota')} would change`;
  const planned = changed.flatMap(({ plan }) => (plan ? [plan] : []));
  return [
    `partition ${partition}: ${quotas}, ${victims === 0 ? 'nobody' : counted(victims, 'allocation')} would be evicted`,
    ...switchLines(preview),
    ...policyLines(preview.policyChanges, true),
    ...propertyLines(preview.propertiesChanged, true),
    ...changeLines(
      [
        ...changed.map(({ queue, previous, current, clock }) => ({
          queue,
          gone: false,
          previous,
          current,
          clock: on ? clockCell({ clock, current }) : 'off',
        })),
        ...removed.map(({ queue, previous }) => ({
          queue,
          gone: true,
          previous,
          current: { max: null, delayMs: 0 },
          clock: 'cancels: the queue leaves the configuration',
        })),
      ],
      invocation,
    ),
    ...changed.flatMap(({ queue, planFault }) =>
      planFault === undefined ? [] : ['', `${queue}: no plan can be made: ${printable(planFault)}`],
    ),
    ...planned.flatMap((plan) => ['', ...planLines(plan, invocation, { reasons: true })]),
    ...preview.rounds.flatMap(({ policy, plan, planFault }) => [
      '',
      `the next round of ${policy}${planFault === undefined ? ' would choose others than now:' : ` fails: ${printable(planFault)}`}`,
      ...(plan ? planLines(plan, invocation, { reasons: true }) : []),
    ]),
    ...(notPlanned > 0
      ? ['', `${counted(notPlanned, 'more clock')} would start; their plans were not made`]
      : []),
  ];
}

function switchLines({
  quotaPreemptionEnabled: on,
  previousQuotaPreemptionEnabled: before,
}: Preview): string[] {
  if (on === before) return on ? [] : ['enforcement of its quotas is off: no clock runs'];
  return [`enforcement of its quotas would be ${on ? 'on' : 'off: no clock would run'}`];
}

function clockCell({ clock: { effect, because }, current }: Pick<QueuePreview, 'clock' | 'current'>): Cell {
  if (effect === 'none') return `no effect: ${because}`;
  if (effect === 'cancels') return `cancels: ${because}`;
  return {
    text: `${effect}: ${because}; a run is due ${durationText(current.delayMs / 1000)} later`,
    tone: 'doubtful',
  };
}
