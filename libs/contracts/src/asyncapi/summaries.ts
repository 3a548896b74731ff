import type { EventName } from '../events/catalog.js';

/** What each event says, in one sentence for those who send or read it. */
export const summaries: Record<EventName, string> = {
  ConfigApplied:
    'A configuration is in force; a QuotaChanged or QueueRemoved follows for each queue that it changed.',
  ConfigRefused: 'A configuration has errors, all of which are listed; the one in force stays.',
  QuotaChanged: 'The max or the delay of a queue is another than before.',
  QueueRemoved: 'A queue left the configuration: it counts as without max from now on.',
  EnforcementScheduled: 'The clock of a queue was set: its quota is enforced at that time.',
  EnforcementRescheduled: 'The clock of a queue was set anew.',
  EnforcementCancelled: 'The clock of a queue was stopped, with the reason.',
  EnforcementSkipped: 'Nothing follows from something that happened, with the reason.',
  EnforcementStarted: 'The delay is over and the lock of the queue is taken: one run, fenced by its token.',
  QuotaNotMet:
    'A queue is above its quota with no clock, no run, and no reason that still holds. QuotaMet ends it.',
  QuotaMet: 'A queue that QuotaNotMet named is within its quota again.',
  EnforcementReleased: 'The lock of the queue is given back.',
  RoundStarted: 'A round of a policy that looks again and again has come to something: its plan follows.',
  RoundFailed:
    'Rounds of a policy cannot be planned, with the reason; said once until the reason is another.',
  StatusChanged: 'A pool or an operation fell below its fair share, or is normal again.',
  StarvationChanged: 'A pool or an operation starves, starves aggressively, or does so no more.',
  TimerStarted: 'A plan is asked for at that time, since something will have lasted too long by then.',
  TimerRestarted: 'A plan is asked for at another time than was said before.',
  TimerCancelled: 'The reason for a timer ended before it was due.',
  QuotaNoted: 'The values of a queue changed without an effect on its clock.',
  EnforcementEnded: 'A run is over, with its outcome.',
  PlanComputed: 'The victims of a run, and why those.',
  PlanFailed: 'No plan could be made, with the reason.',
  PlanApproved: 'An operator lets a large plan go on.',
  PlanRejected: 'An operator turns a plan down.',
  ExecutionOpened: 'An executor carries a plan out, with these limits.',
  ExecutionRejudged:
    'The quota changed before a run evicted anything: it is judged by the quota in force from here on.',
  VictimOrdered: 'A kill is about to be sent.',
  VictimNotified: 'The owner of a victim was told when it will be evicted at the earliest.',
  VictimForgotten:
    'Rounds have not chosen a victim again whose owner was told: the notification counts no more.',
  VictimEvicted: 'A victim is gone or on its way out, by a kill of Curtail.',
  VictimRefused: 'The cluster said no to a kill; with `retryAt` it is tried again.',
  VictimGone: 'A victim had gone by itself, or another incarnation stands under its id.',
  VictimSpared: 'A planned victim was left alone, with the reason.',
  VictimFailed: 'A victim could not be evicted, with the reason.',
  KillSwitchSet: 'Nobody is evicted from a queue and all below it, or from the whole partition.',
  KillSwitchCleared: 'A kill switch was taken back.',
  CancelRequested: 'An operator calls a run off.',
  InventoryAccepted: 'An operator let a listing be applied that was held.',
  InventoryReset: 'An operator had the sequences of a partition forgotten.',
  DeadLettersRetried: 'An operator had dead letters handed to their consumers again.',
  DeadLettersDiscarded: 'An operator gave dead letters up.',
  ModeChanged: 'How a partition is enforced from now on.',
  EvictionAnnounced:
    'Tells the platform, for the owner of an allocation, when it will be evicted at the earliest. Nothing to answer; leave alone what has the header ce_replayed.',
  EvictionRequested:
    'Asks the platform to evict one incarnation of one allocation. The same evictionId is one kill. Leave alone what is past its deadline or has the header ce_replayed.',
  EvictionAnswered: 'What the platform says to a request; evictionId and attempt are copied from it.',
  ConfigSubmitted:
    'A whole configuration for one partition. ConfigApplied or ConfigRefused answers with the same submission.',
  AllocationStarted: 'An allocation runs; sent again, whole, when something about it has changed.',
  AllocationReleased: 'An allocation runs no more and holds nothing.',
  ApplicationSubmitted: 'An application is there; sent again, whole, when something about it has changed.',
  ApplicationEnded: 'An application is over.',
  NodeAdded: 'A node is there; sent again, whole, when something about it has changed.',
  NodeRemoved: 'A node is gone.',
  InventoryListed:
    'One page of all that there is. With the last missing page, what is in none of them and was not reported since is gone.',
  InventoryConfirmed:
    'The scheduler lives and has nothing to add. Sent at least as often as Curtail wants to hear.',
};
