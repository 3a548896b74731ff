import type { EventData } from '../events/catalog.js';
import { counted } from '../words.js';
import { because, type Sentences, words } from './sentences.js';

export const runSentences: Sentences = {
  RoundStarted: ({ round, enforcement, policy, lateMs }) =>
    `round ${round} (${enforcement}) of ${policy} started, ${lateMs} ms after it was due`,
  RoundFailed: ({ policy, message }) => `rounds of ${policy} cannot be planned: ${message}`,
  PlanComputed: ({ enforcement, plan }) =>
    `run ${enforcement} has a plan: ${plan.outcome}, ${counted(plan.victims.length, 'victim')}`,
  PlanFailed: ({ enforcement, message }) => `run ${enforcement} could not be planned: ${message}`,
  PlanApproved: ({ by, enforcement }) => `user ${by} approved run ${enforcement}`,
  PlanRejected: (event) => `user ${event.by} rejected run ${event.enforcement}${because(event)}`,
  CancelRequested: (event) => `user ${event.by} cancelled run ${event.enforcement}${because(event)}`,
  EnforcementOpened: ({ enforcement, needsApproval, approvalReason, mode }) =>
    needsApproval
      ? `run ${enforcement} waits for approval: ${approvalReason}`
      : `run ${enforcement} is carried out (mode ${mode})`,
  EnforcementRejudged: ({ notices }) => notices?.[0]?.message ?? 'EnforcementRejudged',
  EnforcementHeld: ({ enforcement, message }) => `run ${enforcement} waits for approval: ${message}`,
  EnforcementEnded: ({ message }) => message,
};

export const clockSentences: Sentences = {
  QuotaNoted: () => 'its new values have no effect on a clock',
  EnforcementScheduled: (event) => `a run is due at ${event.dueAt} (${words(event.cause)})${putOff(event)}`,
  EnforcementRescheduled: (event) =>
    `the run is now due at ${event.dueAt}, before it was ${event.previousDueAt} (${words(event.cause)})${putOff(event)}`,
  EnforcementCancelled: ({ cause, by, dueAt }) =>
    cause === 'operator'
      ? `${by === undefined ? 'an operator' : `user ${by}`} cancelled the run that was due at ${dueAt}`
      : `the clock that was due at ${dueAt} ended without a run (${words(cause)})`,
  EnforcementSkipped: skipped,
  EnforcementRequested: (event) =>
    `user ${event.by} requested a run ${event.atOnce ? 'at once' : 'after the delay of the queue'}${because(event)}`,
  EnforcementStarted: ({ enforcement, lateMs }) =>
    `run ${enforcement} started, ${lateMs} ms after it was due`,
  EnforcementReleased: ({ cause }) => `the queue is free again (${words(cause)})`,
  QuotaNotMet: ({ notices }) => notices?.[0]?.message ?? 'QuotaNotMet',
  QuotaMet: () => 'it is within its quota again',
};

const putOff = ({ ownDueAt }: { ownDueAt?: string | undefined }): string =>
  ownDueAt === undefined ? '' : `, not at ${ownDueAt}: its max goes up and down`;

function skipped({ cause, enforcement, notices }: EventData<'EnforcementSkipped'>): string {
  switch (cause) {
    case 'running':
      return `a run is in progress${enforcement === undefined ? '' : ` (${enforcement})`} and continues; the change is judged when it ends`;
    case 'suspended':
      return notices?.[0]?.message ?? 'its clock is suspended';
    default:
      return `no run follows (${words(cause)})`;
  }
}

const withMessage = ({ allocation, message }: { allocation: string; message: string }): string =>
  `${allocation}: ${message}`;

export const victimSentences: Sentences = {
  VictimForeseen: ({ message }) => message,
  ForesightWithdrawn: ({ message }) => message,
  VictimNotified: ({ allocation, interrupts, killAt }) =>
    interrupts
      ? `${allocation} was asked to finish; it is killed at ${killAt} if it has not`
      : `the owner of ${allocation} was notified: it is evicted if a round still selects it at ${killAt} or later`,
  VictimForgotten: ({ allocation }) =>
    `${allocation} was not selected again; the notification of its owner no longer counts`,
  VictimOrdered: ({ allocation, attempt }) => `${allocation} is to be evicted (attempt ${attempt})`,
  VictimEvicted: ({ allocation, reason }) => `${allocation} was evicted: ${reason}`,
  VictimRefused: withMessage,
  VictimGone: withMessage,
  VictimSpared: withMessage,
  VictimFailed: withMessage,
  OwnerAnswered: answered,
  OwnerAnswerRefused: ({ answer, by, message }) =>
    `the answer ${answer} of user ${by} changes nothing: ${message}`,
};

function answered(event: EventData<'OwnerAnswered'>): string {
  const { by, allocation, answer, seconds, until, checkpointedAt } = event;
  switch (answer) {
    case 'extend':
      return until === undefined
        ? `user ${by} extended the time of ${allocation} by ${seconds} s from the opening of the run`
        : `user ${by} extended the time of ${allocation}: it is not evicted before ${until}`;
    case 'checkpointed':
      return `user ${by} saved the work of ${allocation} up to ${checkpointedAt}`;
    default:
      return `user ${by} is ready to lose ${allocation}`;
  }
}

export const starvationSentences: Sentences = {
  StatusChanged: ({ kind, name, to }) =>
    `${kind} ${name} is ${to === 'normal' ? 'no longer below its fair share' : 'below its fair share'}`,
  StarvationChanged: ({ kind, name, to }) =>
    to === 'non_starving'
      ? `${kind} ${name} no longer starves`
      : `${kind} ${name} is ${to.replaceAll('_', ' ')}`,
  TimerStarted: ({ kind, name, dueAt }) => `${kind} ${name} has until ${dueAt}; then a plan is requested`,
  TimerRestarted: ({ kind, name, dueAt, previousDueAt }) =>
    `${kind} ${name} now has until ${dueAt}, before it was ${previousDueAt}`,
  TimerCancelled: ({ kind, name, dueAt }) => `the timer of ${kind} ${name}, due at ${dueAt}, ended early`,
};
