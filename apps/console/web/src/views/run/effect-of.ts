import type { components } from '#api-client';
import { type Amounts, amountsText } from '../../parts/amounts.js';
import { durationText } from '../../parts/distance-text.js';

type Run = components['schemas']['Enforcement'];
export type Command = 'approve' | 'reject' | 'cancel';

/** What holds evictions back, whatever is commanded. */
export interface EffectSituation {
  /** A stop covers the queue. */
  isStopped: boolean;
  /** The version of the configuration whose runs share a ceiling; null: none. */
  approvedWith: number | null;
  /** The users whose work goes, the most affected first, and how many there are; undefined: not known yet. */
  owners?: { count: number; first: readonly { name: string; victims: number }[] } | undefined;
  /** How long it takes at least, at the rate of evictions; null: not known. */
  leastSeconds?: number | null;
}

/** What a command would do now, in sentences. */
export function effectOf(
  command: Command,
  run: Run,
  { isStopped, approvedWith, owners, leastSeconds }: EffectSituation,
): string[] {
  const { victims, evicted, mode, round } = run;
  const left = victims - evicted;
  const allocations = left === 1 ? '1 allocation' : `${left} allocations`;
  const soFar = evicted === 0 ? [] : [`${evicted} evicted so far do not come back.`];
  const later =
    round === null ? 'The queue stays above its quota until its next run.' : 'The next round plans again.';
  if (command === 'cancel')
    return [
      `Nothing more is evicted: ${allocations} stay.`,
      ...soFar,
      'An eviction that was requested already may still be carried out.',
      later,
    ];
  if (command === 'reject') return [`Nothing more is evicted: ${allocations} stay.`, ...soFar, later];
  const amounts = amountsText(leftOf(run));
  if (mode === 'observe')
    return [
      `Nothing is evicted while the partition observes. The plan names ${allocations} with ${amounts}.`,
    ];
  return [
    `${allocations} will be evicted, which frees ${amounts}.`,
    ...(owners ? ownersText(owners) : []),
    ...(leastSeconds
      ? [`At the rate of evictions of the queue, it takes at least ${durationText(leastSeconds)}.`]
      : []),
    'Each is checked once more before it goes.',
    ...soFar,
    ...(isStopped ? ['Evictions are stopped: nothing goes before they are resumed.'] : []),
    ...(approvedWith === null
      ? []
      : [
          `This run alone is approved. Other runs of version ${approvedWith} of the configuration wait for the same ceiling: curtail approve --configuration approves all of them.`,
        ]),
  ];
}

const mostNamed = 5;

function ownersText({ count, first }: NonNullable<EffectSituation['owners']>): string[] {
  if (count === 0) return [];
  const named = first
    .slice(0, mostNamed)
    .map(({ name, victims }) => `${name} (${victims === 1 ? '1 allocation' : `${victims} allocations`})`);
  const more = count > named.length ? ` and ${count - named.length} more` : '';
  return [`The work belongs to ${count === 1 ? '1 owner' : `${count} owners`}: ${named.join(', ')}${more}.`];
}

/** What the plan claims and is not free yet. */
function leftOf({ claimed, freed }: Run): Amounts {
  const left = Object.entries(claimed ?? {}).map(
    ([type, amount]) => [type, amount - (freed?.[type] ?? 0)] as const,
  );
  return Object.fromEntries(left.filter(([, amount]) => amount > 0));
}
