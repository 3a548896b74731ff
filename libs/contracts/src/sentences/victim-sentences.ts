import type { EventData } from '../events/catalog.js';
import type { Sentences } from './sentences.js';

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
