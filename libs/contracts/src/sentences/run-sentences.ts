import { counted } from '../counted.js';
import { because } from './parts.js';
import type { Sentences } from './sentences.js';

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
