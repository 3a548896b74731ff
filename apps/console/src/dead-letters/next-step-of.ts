import type { NextStep } from '#contracts/api';
import { inboundTopics, topics } from '#contracts/events';

/** The facts that decide whether a dead letter can be retried. */
export interface LetterKind {
  consumer: string;
  event: string;
  topic: string;
  /** The log contains the event under the id of the letter. */
  inLog: boolean;
  parkedAt: Date;
  /** When it is handled again without a request; null: never. */
  retryAt: Date | null;
}

/** The source that dead letters name for events of the log. */
const relay = 'relay';
const logTopics = new Set<string>(Object.values(topics));

/** Conditions shared by all letters that can be retried, besides their event in the log. */
export const retryable = { topics: [...logTopics], notOf: [relay] };

/**
 * Only events of the log can be retried: each handler compares them with what has happened since. A message of a platform service
 * cannot, since a newer one of the same sender may be applied already. An event that is not in the log was forged or is lost.
 */
export function nextStepOf({ consumer, event, topic, inLog, parkedAt, retryAt }: LetterKind): NextStep {
  const not = (nextStep: string): NextStep => ({ retryable: false, nextStep });
  const discard = `curtail dead-letters discard ${consumer}/${event} --reason …`;
  if (consumer === relay) {
    const from = parkedAt.toISOString();
    return not(
      `the services have it from the log; for readers of your own raise max.message.bytes of ${topic} and run ` +
        `curtail republish --topic ${topic}, with --from before ${from}; then ${discard}`,
    );
  }
  switch (topic) {
    case inboundTopics.submissions:
      return not(
        `correct the configuration and submit it again, if nothing newer is in force; then ${discard}`,
      );
    case inboundTopics.inventory:
      return not(
        `have the sender correct what the reason names and send a complete InventoryListed; then ${discard}`,
      );
    case inboundTopics.ownerAnswers:
      return not(`the answer changed nothing: have its sender correct it and send it again; then ${discard}`);
    case inboundTopics.evictionAnswers:
      return not(
        `the run has treated the eviction as unanswered and continued; correct the sender; then ${discard}`,
      );
  }
  if (!inLog || !logTopics.has(topic)) {
    return not(
      `the log does not have this event, so it cannot be retried: find out who wrote to ${topic}; then ${discard}`,
    );
  }
  const retry = `curtail dead-letters retry ${consumer}/${event}`;
  return {
    retryable: true,
    nextStep: retryAt
      ? `remove the cause, for example by an upgrade; it is handled again by itself within a minute, or at once with ${retry}`
      : `remove the cause, for example by an upgrade; then ${retry}`,
  };
}
