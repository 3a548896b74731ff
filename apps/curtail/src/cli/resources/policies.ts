/** How the command line shows a policy, where it differs from others. */
interface ShownPolicy {
  /** The kinds of `curtail get` that show findings of its rounds, besides its enforcements. */
  kinds: string[];
  /** Its timers begin rounds; otherwise they start runs of queues. */
  plansInRounds: boolean;
  /** A scenario continues until a round finds no reason to act, not just no victim. */
  endsWhenNotNeeded: boolean;
  /** The sentence for a round without victims, about owners notified before. */
  noVictims?: string;
}

const shown: ReadonlyMap<string | undefined, ShownPolicy> = new Map([
  ['quota-decrease', { kinds: [], plansInRounds: false, endsWhenNotNeeded: false }],
  [
    'intra-queue',
    {
      kinds: ['rounds'],
      plansInRounds: true,
      endsWhenNotNeeded: false,
      noVictims: 'No victims are selected; owners notified too long ago have to be notified again.',
    },
  ],
  ['fair-share', { kinds: ['pools', 'operations'], plansInRounds: true, endsWhenNotNeeded: true }],
]);

/** For a policy that this command line does not know: defaults of all policies. */
export function shownPolicy(name: string | undefined): ShownPolicy {
  return shown.get(name) ?? { kinds: ['rounds'], plansInRounds: true, endsWhenNotNeeded: false };
}
