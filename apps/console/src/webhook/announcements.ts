import { clockKind, ofApplication, ofEnforcement, partitionOptionText, policyOfEvent } from '#contracts';
import type { WebhookMessage, WebhookType } from '#contracts/api';
import { runPolicies } from '#enforcement';
import type { KnownEvent, Tx } from '#event-store';
import { addMessages } from './outbox.js';

const types: Partial<Record<string, WebhookType & `run.${string}`>> = {
  failed: 'run.failed',
  rejected: 'run.rejected',
};

/** Makes messages about runs that failed or were rejected, in the transaction that handles their events: each once. */
export async function announceEnds(
  tx: Tx,
  wanted: ReadonlySet<WebhookType>,
  events: readonly KnownEvent[],
): Promise<void> {
  const messages = events.flatMap(({ id, name, data, time }) => {
    if (name !== 'EnforcementEnded') return [];
    const type = types[data.outcome];
    if (type === undefined || !wanted.has(type)) return [];
    const { enforcement, partition, queue, message } = data;
    const run = { partition, queue, enforcement, policy: policyOfEvent(data) };
    const why = {
      code: data.outcome,
      message: `Run ${enforcement} of ${queue} ended as ${data.outcome}: ${message}`,
      remedy: remedyOf(run),
      about: ofEnforcement(enforcement),
    };
    return [{ id: `msg_${id}`, message: { type, timestamp: time.toISOString(), data: { ...run, ...why } } }];
  });
  await addMessages(tx, messages);
}

/** Rounds are planned again by themselves; a policy that is unknown here also plans in rounds. */
function remedyOf(run: { enforcement: string; queue: string; partition: string; policy: string }): string {
  const explain = `see why with curtail explain enforcement ${run.enforcement}`;
  if (runPolicies.find(run.policy)?.isRound !== false) return explain;
  return `${explain}; to evict after all: curtail enforce ${run.queue}${partitionOptionText(run.partition)}`;
}

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
        remedy: `save its work before then; see how it changes with curtail get foreseen --queue ${queue}${partitionOptionText(partition)}`,
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

/** Nest token of the webhook of this installation: a `Webhook`, or null. */
export const WEBHOOK = Symbol('Webhook');
