import type { Facts, VictimCause } from '#contracts';

export type FairShareFacts = {
  /** docs/reference/policies/fair-share.md §9 */
  group: 'non-preemptible' | 'aggressively preemptible' | 'preemptible';
  operation: string;
  /** Empty: it is on none. */
  node: string;
  /** The operation whose allocation starts in its place. */
  preemptedFor?: string;
  /** RFC 3339. */
  startedAt: string;
  optedOut?: true;
};

/** @param shown writes a time. */
export function shortReason(cause: VictimCause, given: Facts, shown: (time: string) => string): string {
  const facts = given as Partial<FairShareFacts>;
  const { group, operation, startedAt, optedOut } = facts;
  const started = startedAt === undefined ? '' : `, started ${shown(startedAt)}`;
  const hint = optedOut ? ', with a preference to be spared' : '';
  return `${whyHere(cause, facts)}; it is ${group} for ${operation}${started}${hint}`;
}

function whyHere(cause: VictimCause, { node, group, preemptedFor }: Partial<FairShareFacts>): string {
  switch (cause) {
    case 'resource-limits':
      return 'Its operation or a pool above it is over its limits';
    case 'overcommit':
      return group === 'preemptible'
        ? `Node ${node} holds more than its capacity`
        : `Node ${node} has held more than its capacity for too long, and it does not fit beside safer and older ones`;
    case 'starvation':
    case 'aggressive-starvation': {
      const starving = cause === 'starvation' ? 'is starving' : 'is starving aggressively';
      return `Operation ${preemptedFor} ${starving} and starts on ${node} in its place`;
    }
  }
}

/** By cause, why an allocation is a victim, in words. docs/reference/policies/fair-share.md §13 */
export const fairShareRules: Readonly<Record<VictimCause, string>> = {
  starvation: 'an operation is starving',
  'aggressive-starvation': 'an operation is starving aggressively',
  'resource-limits': 'its operation or a pool above it is over its limits',
  overcommit: 'its node holds more than its capacity',
};
