/** What the command line shows of a policy in a way of its own. */
interface ShownPolicy {
  /** The kinds of `curtail get` that show what its rounds found, besides its enforcements. */
  kinds: string[];
  /** A scenario continues until a round finds nothing left to do, not just no victim. */
  endsWhenNotNeeded: boolean;
  /** What a round without victims means for owners that were notified before. */
  noVictims?: string;
}

const shown: ReadonlyMap<string | undefined, ShownPolicy> = new Map([
  ['quota-decrease', { kinds: [], endsWhenNotNeeded: false }],
  [
    'intra-queue',
    {
      kinds: ['rounds'],
      endsWhenNotNeeded: false,
      noVictims: 'No victims are selected; owners notified too long ago have to be notified again.',
    },
  ],
  ['fair-share', { kinds: ['pools', 'operations'], endsWhenNotNeeded: true }],
]);

/** Of a policy that this command line does not know, what all have in common. */
export function shownPolicy(name: string | undefined): ShownPolicy {
  return shown.get(name) ?? { kinds: ['rounds'], endsWhenNotNeeded: false };
}
