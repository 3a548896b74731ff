import type { EventData } from '../events/catalog.js';
import { because, words } from './parts.js';
import type { Sentences } from './sentences.js';

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
