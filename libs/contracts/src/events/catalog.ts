import type { z } from 'zod';
import * as answers from './answers.js';
import * as config from './config.js';
import * as control from './control.js';
import * as enforcement from './enforcement.js';
import * as requests from './eviction-requests.js';
import * as evictions from './evictions.js';
import * as foresight from './foresight.js';
import * as inventory from './inventory.js';
import * as plans from './plans.js';
import * as starvation from './starvation.js';
import * as submissions from './submissions.js';

/** Events that Curtail itself records in its log. */
export const topics = {
  quota: 'curtail.quota',
  enforcement: 'curtail.enforcement',
  starvation: 'curtail.starvation',
  plans: 'curtail.plans',
  foresight: 'curtail.foresight',
  evictions: 'curtail.evictions',
  evictionRequests: 'curtail.evictions.requests',
  control: 'curtail.control',
} as const;
/** Events that platform services send to Curtail; they are never in its log. */
export const inboundTopics = {
  submissions: 'curtail.config.submissions',
  inventory: 'curtail.inventory',
  evictionAnswers: 'curtail.evictions.answers',
  ownerAnswers: 'curtail.owner.answers',
} as const;
export type Topic = (typeof topics)[keyof typeof topics] | (typeof inboundTopics)[keyof typeof inboundTopics];

/**
 * Every event of Curtail: its short name, CloudEvents type, topic and schema. No entry is ever removed, since its events stay in the
 * log. A changed schema gets a new schema version, and a renamed event keeps its former type in the registry (upcasters.ts); the number
 * in the type changes only with a change that breaks readers outside.
 */
export const catalog = {
  ConfigApplied: { type: 'io.curtail.config.applied.v1', topic: topics.quota, schema: config.configApplied },
  ConfigRefused: { type: 'io.curtail.config.refused.v1', topic: topics.quota, schema: config.configRefused },
  QuotaChanged: { type: 'io.curtail.quota.changed.v1', topic: topics.quota, schema: config.quotaChanged },
  QueueRemoved: { type: 'io.curtail.queue.removed.v1', topic: topics.quota, schema: config.queueRemoved },
  EnforcementScheduled: {
    type: 'io.curtail.enforcement.scheduled.v1',
    topic: topics.enforcement,
    schema: enforcement.enforcementScheduled,
  },
  EnforcementRescheduled: {
    type: 'io.curtail.enforcement.rescheduled.v1',
    topic: topics.enforcement,
    schema: enforcement.enforcementRescheduled,
  },
  EnforcementCancelled: {
    type: 'io.curtail.enforcement.cancelled.v1',
    topic: topics.enforcement,
    schema: enforcement.enforcementCancelled,
  },
  EnforcementSkipped: {
    type: 'io.curtail.enforcement.skipped.v1',
    topic: topics.enforcement,
    schema: enforcement.enforcementSkipped,
  },
  EnforcementStarted: {
    type: 'io.curtail.enforcement.started.v1',
    topic: topics.enforcement,
    schema: enforcement.enforcementStarted,
  },
  EnforcementReleased: {
    type: 'io.curtail.enforcement.released.v1',
    topic: topics.enforcement,
    schema: enforcement.enforcementReleased,
  },
  RoundStarted: {
    type: 'io.curtail.round.started.v1',
    topic: topics.enforcement,
    schema: enforcement.roundStarted,
  },
  RoundFailed: {
    type: 'io.curtail.round.failed.v1',
    topic: topics.enforcement,
    schema: enforcement.roundFailed,
  },
  StatusChanged: {
    type: 'io.curtail.status.changed.v1',
    topic: topics.starvation,
    schema: starvation.statusChanged,
  },
  StarvationChanged: {
    type: 'io.curtail.starvation.changed.v1',
    topic: topics.starvation,
    schema: starvation.starvationChanged,
  },
  TimerStarted: {
    type: 'io.curtail.timer.started.v1',
    topic: topics.starvation,
    schema: starvation.timerStarted,
  },
  TimerRestarted: {
    type: 'io.curtail.timer.restarted.v1',
    topic: topics.starvation,
    schema: starvation.timerRestarted,
  },
  TimerCancelled: {
    type: 'io.curtail.timer.cancelled.v1',
    topic: topics.starvation,
    schema: starvation.timerCancelled,
  },
  QuotaNoted: {
    type: 'io.curtail.quota.noted.v1',
    topic: topics.enforcement,
    schema: enforcement.quotaNoted,
  },
  QuotaNotMet: {
    type: 'io.curtail.quota.notmet.v1',
    topic: topics.enforcement,
    schema: enforcement.quotaNotMet,
  },
  QuotaMet: { type: 'io.curtail.quota.met.v1', topic: topics.enforcement, schema: enforcement.quotaMet },
  EnforcementEnded: {
    type: 'io.curtail.enforcement.ended.v1',
    topic: topics.enforcement,
    schema: evictions.enforcementEnded,
  },
  PlanComputed: { type: 'io.curtail.plan.computed.v1', topic: topics.plans, schema: plans.planComputed },
  PlanFailed: { type: 'io.curtail.plan.failed.v1', topic: topics.plans, schema: plans.planFailed },
  PlanApproved: { type: 'io.curtail.plan.approved.v1', topic: topics.plans, schema: plans.planApproved },
  PlanRejected: { type: 'io.curtail.plan.rejected.v1', topic: topics.plans, schema: plans.planRejected },
  VictimForeseen: {
    type: 'io.curtail.victim.foreseen.v1',
    topic: topics.foresight,
    schema: foresight.victimForeseen,
  },
  ForesightWithdrawn: {
    type: 'io.curtail.foresight.withdrawn.v1',
    topic: topics.foresight,
    schema: foresight.foresightWithdrawn,
  },
  EnforcementOpened: {
    type: 'io.curtail.enforcement.opened.v1',
    topic: topics.evictions,
    schema: evictions.enforcementOpened,
  },
  EnforcementRejudged: {
    type: 'io.curtail.enforcement.rejudged.v1',
    topic: topics.evictions,
    schema: evictions.enforcementRejudged,
  },
  EnforcementHeld: {
    type: 'io.curtail.enforcement.held.v1',
    topic: topics.evictions,
    schema: evictions.enforcementHeld,
  },
  VictimOrdered: {
    type: 'io.curtail.victim.ordered.v1',
    topic: topics.evictions,
    schema: evictions.victimOrdered,
  },
  VictimNotified: {
    type: 'io.curtail.victim.notified.v1',
    topic: topics.evictions,
    schema: evictions.victimNotified,
  },
  VictimForgotten: {
    type: 'io.curtail.victim.forgotten.v1',
    topic: topics.evictions,
    schema: evictions.victimForgotten,
  },
  VictimEvicted: {
    type: 'io.curtail.victim.evicted.v1',
    topic: topics.evictions,
    schema: evictions.victimEvicted,
  },
  VictimRefused: {
    type: 'io.curtail.victim.refused.v1',
    topic: topics.evictions,
    schema: evictions.victimRefused,
  },
  VictimGone: { type: 'io.curtail.victim.gone.v1', topic: topics.evictions, schema: evictions.victimGone },
  VictimSpared: {
    type: 'io.curtail.victim.spared.v1',
    topic: topics.evictions,
    schema: evictions.victimSpared,
  },
  VictimFailed: {
    type: 'io.curtail.victim.failed.v1',
    topic: topics.evictions,
    schema: evictions.victimFailed,
  },
  ConfigurationApproved: {
    type: 'io.curtail.configuration.approved.v1',
    topic: topics.control,
    schema: control.configurationApproved,
  },
  ConfigurationRejected: {
    type: 'io.curtail.configuration.rejected.v1',
    topic: topics.control,
    schema: control.configurationRejected,
  },
  KillSwitchSet: {
    type: 'io.curtail.killswitch.set.v1',
    topic: topics.control,
    schema: control.killSwitchSet,
  },
  KillSwitchCleared: {
    type: 'io.curtail.killswitch.cleared.v1',
    topic: topics.control,
    schema: control.killSwitchCleared,
  },
  FreezeSet: { type: 'io.curtail.freeze.set.v1', topic: topics.control, schema: control.freezeSet },
  FreezeCleared: {
    type: 'io.curtail.freeze.cleared.v1',
    topic: topics.control,
    schema: control.freezeCleared,
  },
  OwnerAnswered: {
    type: 'io.curtail.owner.answered.v1',
    topic: topics.control,
    schema: answers.ownerAnswered,
  },
  OwnerAnswerRefused: {
    type: 'io.curtail.owner.answer.refused.v1',
    topic: topics.control,
    schema: answers.ownerAnswerRefused,
  },
  OwnerAnswerSent: {
    type: 'io.curtail.owner.answer.sent.v1',
    topic: inboundTopics.ownerAnswers,
    schema: answers.ownerAnswerSent,
  },
  CancelRequested: {
    type: 'io.curtail.cancel.requested.v1',
    topic: topics.control,
    schema: control.cancelRequested,
  },
  EnforcementRequested: {
    type: 'io.curtail.enforcement.requested.v1',
    topic: topics.control,
    schema: control.enforcementRequested,
  },
  ModeChanged: { type: 'io.curtail.mode.changed.v1', topic: topics.control, schema: control.modeChanged },
  SettingsChanged: {
    type: 'io.curtail.settings.changed.v1',
    topic: topics.control,
    schema: control.settingsChanged,
  },
  InventoryAccepted: {
    type: 'io.curtail.inventory.accepted.v1',
    topic: topics.control,
    schema: control.inventoryAccepted,
  },
  InventoryReset: {
    type: 'io.curtail.inventory.reset.v1',
    topic: topics.control,
    schema: control.inventoryReset,
  },
  DeadLettersRetried: {
    type: 'io.curtail.deadletters.retried.v1',
    topic: topics.control,
    schema: control.deadLettersRetried,
  },
  DeadLettersDiscarded: {
    type: 'io.curtail.deadletters.discarded.v1',
    topic: topics.control,
    schema: control.deadLettersDiscarded,
  },
  EvictionAnnounced: {
    type: 'io.curtail.eviction.announced.v1',
    topic: topics.evictionRequests,
    schema: requests.evictionAnnounced,
  },
  EvictionRequested: {
    type: 'io.curtail.eviction.requested.v1',
    topic: topics.evictionRequests,
    schema: requests.evictionRequested,
  },
  EvictionAnswered: {
    type: 'io.curtail.eviction.answered.v1',
    topic: inboundTopics.evictionAnswers,
    schema: requests.evictionAnswered,
  },
  ConfigSubmitted: {
    type: 'io.curtail.config.submitted.v1',
    topic: inboundTopics.submissions,
    schema: submissions.configSubmitted,
  },
  AllocationStarted: {
    type: 'io.curtail.allocation.started.v1',
    topic: inboundTopics.inventory,
    schema: inventory.allocationStarted,
  },
  AllocationReleased: {
    type: 'io.curtail.allocation.released.v1',
    topic: inboundTopics.inventory,
    schema: inventory.allocationReleased,
  },
  ApplicationSubmitted: {
    type: 'io.curtail.application.submitted.v1',
    topic: inboundTopics.inventory,
    schema: inventory.applicationSubmitted,
  },
  ApplicationEnded: {
    type: 'io.curtail.application.ended.v1',
    topic: inboundTopics.inventory,
    schema: inventory.applicationEnded,
  },
  NodeAdded: {
    type: 'io.curtail.node.added.v1',
    topic: inboundTopics.inventory,
    schema: inventory.nodeAdded,
  },
  NodeRemoved: {
    type: 'io.curtail.node.removed.v1',
    topic: inboundTopics.inventory,
    schema: inventory.nodeRemoved,
  },
  BudgetSet: {
    type: 'io.curtail.budget.set.v1',
    topic: inboundTopics.inventory,
    schema: inventory.budgetSet,
  },
  BudgetRemoved: {
    type: 'io.curtail.budget.removed.v1',
    topic: inboundTopics.inventory,
    schema: inventory.budgetRemoved,
  },
  InventoryListed: {
    type: 'io.curtail.inventory.listed.v1',
    topic: inboundTopics.inventory,
    schema: inventory.inventoryListed,
  },
  InventoryConfirmed: {
    type: 'io.curtail.inventory.confirmed.v1',
    topic: inboundTopics.inventory,
    schema: inventory.inventoryConfirmed,
  },
} as const;

export type EventName = keyof typeof catalog;

/** No run under way waits for these, so over Kafka they are published a moment later, with others. The next run of a queue waits for two of them. */
export const unawaited: ReadonlySet<EventName> = new Set<EventName>([
  'EnforcementOpened',
  'VictimOrdered',
  'VictimEvicted',
  'VictimGone',
  'VictimSpared',
  'VictimFailed',
  'EnforcementEnded',
  'EnforcementReleased',
]);
export type EventData<N extends EventName> = z.infer<(typeof catalog)[N]['schema']>;

/** An event as a decider returns it and a stream holds it: its name and its data. */
export type DomainEvent<N extends EventName = EventName> = { [K in N]: { name: K; data: EventData<K> } }[N];
