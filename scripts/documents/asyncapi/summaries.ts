import type { EventName } from '#contracts/events';

/** One sentence for each event, for those who send or read it. */
export const summaries: Record<EventName, string> = {
  ConfigApplied:
    'A configuration is in force; a QuotaChanged or QueueRemoved follows for each queue that it changed.',
  ConfigRefused: 'A configuration has errors, all of which are listed; the one in force stays.',
  QuotaChanged: 'The max or the delay of a queue changed.',
  QueueRemoved: 'A queue was removed from the configuration: from now on it has no max.',
  EnforcementScheduled: 'The clock of a queue was set: its quota is enforced at that time.',
  EnforcementRescheduled: 'The clock of a queue was reset.',
  EnforcementCancelled: 'The clock of a queue was stopped, with the reason.',
  EnforcementSkipped: 'Something happened that has no effect, with the reason.',
  EnforcementStarted: 'The delay is over and the lock of the queue is taken: one run, fenced by its token.',
  QuotaNotMet:
    'A queue is above its quota with no clock, no run, and no reason that still holds. QuotaMet ends it.',
  QuotaMet: 'A queue that QuotaNotMet named is within its quota again.',
  EnforcementReleased: 'The lock of the queue is released.',
  RoundStarted: 'A round of a policy has a result: its plan follows.',
  RoundFailed:
    'Rounds of a policy cannot be planned, with the reason; recorded once until the reason changes.',
  StatusChanged: 'A pool or an operation fell below its fair share, or is normal again.',
  StarvationChanged: 'A pool or an operation starves, starves aggressively, or no longer does.',
  TimerStarted: 'A plan is requested at that time, because a state will then have lasted too long.',
  TimerRestarted: 'The time at which a plan is requested changed.',
  TimerCancelled: 'A timer was cancelled before it was due, because its reason no longer held.',
  QuotaNoted: 'The values of a queue changed without an effect on its clock.',
  EnforcementEnded:
    'A run is over, with its outcome. `freed` counts the resources, in every type, of victims that were evicted (from the answer `accepted` on), ' +
    'were gone or were leaving already; not those of an allocation whose id belongs to another incarnation.',
  PlanComputed: 'The victims of a run, and why they were chosen.',
  PlanFailed: 'No plan could be made, with the reason.',
  PlanApproved: 'An operator approves a large plan.',
  PlanRejected: 'An operator rejects a plan.',
  VictimForeseen:
    'Advance notice to the owner of an application: if the clock were due now, these of its allocations would be evicted. It replaces the ' +
    'one before, and ends with ForesightWithdrawn, or with EnforcementStarted of the run, whose plan counts from then on.',
  ForesightWithdrawn: 'An advance notice no longer holds, with the reason.',
  EnforcementOpened: 'An executor carries a plan out, with these limits.',
  EnforcementRejudged:
    'The quota changed before a run evicted anything: it is judged by the quota in force from here on.',
  EnforcementHeld:
    'A run waits for an approval before its next evictions: a ceiling of the partition is reached.',
  VictimOrdered: 'A kill is about to be sent.',
  VictimNotified: 'The owner of a victim was notified of the earliest time of its eviction.',
  VictimForgotten:
    'Rounds did not choose a notified victim again: the notification of its owner no longer counts.',
  VictimEvicted: 'A victim is gone or on its way out, by a kill of Curtail.',
  VictimRefused: 'The cluster refused a kill; with `retryAt` it is retried.',
  VictimGone: 'A victim ended by itself, or its id belongs to another incarnation.',
  VictimSpared: 'A planned victim was spared, with the reason.',
  VictimFailed: 'A victim could not be evicted, with the reason.',
  ConfigurationApproved: 'An operator approves all runs that a version of the configuration causes.',
  ConfigurationRejected: 'An operator rejects all runs that a version of the configuration causes.',
  KillSwitchSet: 'Evictions are stopped in a queue and all below it, or in the whole partition.',
  KillSwitchCleared: 'A kill switch was cleared.',
  FreezeSet:
    'No run of a queue and of those below, or of the whole partition, starts in a window of time, once or recurring.',
  FreezeCleared: 'Freezes no longer hold: clocks that waited for their end are due.',
  CancelRequested: 'An operator cancels a run.',
  OwnerAnswerSent: 'The answer of an owner to an upcoming eviction.',
  OwnerAnswerRefused: 'An answer that was sent as a message changes nothing, with the reason.',
  OwnerAnswered:
    'An owner answered to an upcoming eviction: evict it now, its work is saved, or evict it later.',
  EnforcementRequested: 'An operator requests a run of a queue that is above its quota.',
  SettingsChanged:
    'An operator changed settings of a queue and all below it; `to` null: that of the configuration applies again.',
  InventoryAccepted: 'An operator accepted a held listing.',
  InventoryReset: 'An operator reset the sequences of a partition.',
  DeadLettersRetried: 'An operator retried dead letters.',
  DeadLettersDiscarded: 'An operator discarded dead letters.',
  ModeChanged: 'The mode of a partition was set.',
  EvictionAnnounced:
    'Notifies the owner of an allocation, through the platform, of the earliest time of its eviction. Needs no answer; ignore messages with the header ce_replayed.',
  EvictionRequested:
    'Asks the platform to evict one incarnation of one allocation. The same evictionId is one eviction, for any attempt. After a refusal the next ' +
    'attempt has another evictionId, with attempt 1; the same evictionId comes with the next attempt where Curtail does not know the answer. ' +
    'Ignore requests of other partitions, past their deadline, or with the header ce_replayed.',
  EvictionAnswered: "The platform's answer to a request; evictionId and attempt are copied from it.",
  ConfigSubmitted:
    'A whole configuration for one partition. ConfigApplied or ConfigRefused answers with the same submission.',
  AllocationStarted: 'An allocation runs; sent again in full when it has changed.',
  AllocationReleased: 'An allocation has ended and holds no resources.',
  ApplicationSubmitted: 'An application exists; sent again in full when it has changed.',
  ApplicationEnded: 'An application has ended.',
  NodeAdded: 'A node exists; sent again in full when it has changed.',
  NodeRemoved: 'A node was removed.',
  BudgetSet:
    'The number of allocations of a disruption budget that may still go; sent again when it has changed.',
  BudgetRemoved: 'A disruption budget was removed.',
  InventoryListed:
    'One page of a complete listing. Once all pages have arrived, whatever is on none of them and was not reported since counts as gone.',
  InventoryConfirmed:
    'The scheduler is alive and has no changes. Send it at least as often as Curtail expects reports.',
};
