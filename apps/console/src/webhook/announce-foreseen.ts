import { clockKind, ofApplication, partitionOption } from '#contracts';
import type { WebhookMessage, WebhookType } from '#contracts/api';
import type { KnownEvent, Tx } from '#event-store';
import { addMessages } from './outbox.js';

/** Makes messages about advance notices and their withdrawal, in the transaction that handles their events: each once. */
export async function announceForeseen(
  tx: Tx,
  wanted: ReadonlySet<WebhookType>,
  events: readonly KnownEvent[],
): Promise<void> {
  const messages = events.flatMap((event) => {
    const message = messageOf(event);
    return message && wanted.has(message.type as WebhookType) ? [{ id: `msg_${event.id}`, message }] : [];
  });
  await addMessages(tx, messages);
}

function messageOf({ name, data, time }: KnownEvent): WebhookMessage | undefined {
  if (name === 'VictimForeseen') {
    const { victims, allocations, changes, since, checks, needsApproval, reason } = data;
    const { partition, queue, code, message } = data;
    return {
      type: 'victim.foreseen',
      timestamp: time.toISOString(),
      data: {
        ...ownerOf(data),
        victims,
        allocations,
        changes,
        since,
        checks,
        needsApproval,
        reason,
        code,
        message,
        remedy: `save its work before then; see how it changes with curtail get foreseen --queue ${queue}${partitionOption(partition)}`,
      },
    };
  }
  if (name === 'ForesightWithdrawn') {
    const { code, message } = data;
    const remedy = 'nothing to do; another notice follows if that changes';
    return {
      type: 'foresight.withdrawn',
      timestamp: time.toISOString(),
      data: { ...ownerOf(data), code, message, remedy },
    };
  }
  return undefined;
}

function ownerOf({
  partition,
  queue,
  enforcement,
  application,
  user,
  dueAt,
}: KnownEvent<'VictimForeseen' | 'ForesightWithdrawn'>['data']) {
  return {
    partition,
    queue,
    enforcement,
    policy: clockKind,
    application,
    dueAt,
    ...(user !== undefined && { user }),
    about: ofApplication(application),
  };
}
