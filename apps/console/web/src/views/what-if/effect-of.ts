import { counted } from '#contracts';
import { amountsText } from '../../parts/amounts.js';
import { durationText } from '../../parts/distance-text.js';
import type { Outcome } from './use-comparison.js';

/** The moment of a comparison, and whether the partition only observes. */
export interface Compared {
  at: string;
  mode: 'observe' | 'enforce';
}

/** Removed queues are named one by one up to here. */
const mostNamed = 20;

/**
 * What an alternative would do if it came into force now, in sentences: what changes, who goes and when, and which queues lose their quota. The
 * preview states the same as the question before it is put in force.
 */
export function effectOfOutcome(outcome: Outcome, { at, mode }: Compared): string[] {
  const { changedQuotas = 0, changedGuaranteed = 0, switched, removed = [], moreRemoved = 0 } = outcome;
  const gone = removed.length + moreRemoved;
  const changed = [
    counted(changedQuotas - gone, 'quota changes', 'quotas change'),
    ...(gone > 0 ? [counted(gone, 'queue is removed', 'queues are removed')] : []),
    ...(changedGuaranteed > 0
      ? [counted(changedGuaranteed, 'guaranteed amount changes', 'guaranteed amounts change')]
      : []),
  ];
  return [
    `${changed.join('; ')}.`,
    ...(switched === 'off'
      ? [
          'The enforcement of quotas ends in the whole partition: no clock runs, and runs that have evicted nothing end.',
        ]
      : switched === 'on'
        ? ['The enforcement of quotas begins in the partition.']
        : []),
    ...clocksOf(outcome),
    ...evictionsOf(outcome, at, mode),
    ...removed.slice(0, mostNamed).map(removedText),
    ...(gone > mostNamed
      ? [`${counted(gone - mostNamed, 'more queue', 'more queues')} would be removed too.`]
      : []),
  ];
}

function clocksOf({ clocksStart = 0, clocksEnd = 0 }: Outcome): string[] {
  const starts = clocksStart === 0 ? 'No clock starts' : counted(clocksStart, 'clock starts', 'clocks start');
  return [
    `${starts}${clocksEnd > 0 ? `; ${counted(clocksEnd, 'clock ends', 'clocks end')} without a run` : ''}.`,
  ];
}

function evictionsOf(outcome: Outcome, at: string, mode: Compared['mode']): string[] {
  const { victims = 0, held = 0, waitsForApproval = 0, resources, firstEvictionAt, notPlanned = 0 } = outcome;
  const others = [
    ...(held > 0 ? [`A stop spares ${counted(held, 'more allocation')}.`] : []),
    ...(notPlanned > 0
      ? [`${counted(notPlanned, 'clock has', 'clocks have')} no plan, because there are so many.`]
      : []),
  ];
  if (victims === 0) return ['Nothing that runs now would be evicted.', ...others];
  const who = `${counted(victims, 'allocation')} with ${amountsText(resources)}`;
  if (mode === 'observe')
    return [`The plans name ${who}; the partition observes, and nothing is evicted.`, ...others];
  const seconds = firstEvictionAt
    ? Math.max(0, Math.round((Date.parse(firstEvictionAt) - Date.parse(at)) / 1000))
    : undefined;
  const waits = counted(waitsForApproval, 'run waits', 'runs wait');
  const when =
    seconds !== undefined
      ? `, the first ${seconds === 0 ? 'at once' : `${durationText(seconds)} after it comes into force`}`
      : '';
  return [
    `${who} would be evicted${when}, unless the work or the quotas change before.`,
    ...(waitsForApproval > 0
      ? [`${waits} for approval first${seconds === undefined ? ': nothing is evicted before' : ''}.`]
      : seconds === undefined
        ? ['Nothing is evicted while a stop holds its runs.']
        : []),
    ...others,
  ];
}

function removedText({ queue, usage }: NonNullable<Outcome['removed']>[number]): string {
  const work =
    Object.keys(usage).length === 0
      ? 'No work runs there.'
      : `${amountsText(usage)} run there, and continue without a quota and without guaranteed amounts.`;
  return `${queue} is removed: the enforcement of its quota ends. ${work}`;
}
