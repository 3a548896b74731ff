import type { SparedReason } from '#contracts';

/** Why an allocation was spared, in words that need no manual. docs/reference/snapshot.md, "Plan" */
const sentences: { readonly [reason in SparedReason]?: string } = {
  daemon: 'a daemon, which belongs to its node and is never evicted',
  'not-running': 'not running: it is leaving already',
  'other-types': 'holds none of the types to be freed',
  protected: 'protected: by the settings, below a kill switch, or exempt after a recent refusal',
  enforcing: 'is in a queue that had a run of its own',
  'too-young': 'has not run for the minimum run time yet',
  gang: 'its gang would run with too few members, or could not go as a whole',
  'guaranteed-floor': 'without it a queue would be below its guaranteed resources',
  'queue-limit': 'with it a plan would take more from a queue than its limit',
  'disruption-budget': 'a disruption budget had too little left',
  'owner-budget': 'its owner had as many victims as the setting ownerBudgets allows',
  'past-target': 'would have freed more than needed',
  'eviction-failed': 'its eviction by a run before failed, and others are taken in its place',
  'given-back': 'was chosen at first and given back: the others were enough',
  'not-needed': 'was not needed: enough others came before it',
  'queue-disabled': 'is in a queue where in-queue preemption is switched off',
  'enforcement-running': 'is in a queue that had a run of its own, or below one',
  'one-application': 'is in a queue with a single application',
  'nothing-pending': 'is in a queue with nothing pending',
  'below-threshold': 'is in a queue that uses too little of its guaranteed resources',
  originator: 'the master of its application, which is never taken',
  cooling: 'its application lost something a short while ago',
  'no-give': 'its application had nothing to give',
  unfit: 'makes no room for a request that waits',
  'user-limit': 'without it its user would be at or below its limit',
  'round-ceiling': 'exceeds what one round may take',
  'conservative-drf': 'would free more of some type than needed, or no needed type',
  'own-operation': 'belongs to the operation that is served',
  'graceful-operation': 'its operation asked to finish',
  'starving-operation': 'its operation starves itself',
  'non-preemptible': 'well inside the fair share of its operation',
  'aggressive-only': 'inside the fair share of its operation: only aggressive preemption may take it',
  'aggressive-not-allowed': 'its pool allows no aggressive preemption',
  'normal-not-allowed': 'its pool allows no ordinary preemption',
};

/** The words of a reason to spare an allocation. A reason of a newer version stands for itself. */
export function sparedSentence(reason: string): string {
  return (sentences as Record<string, string>)[reason] ?? reason;
}
