import { ofEnforcement, partitionOption, policyOfEvent } from '#contracts';
import type { WebhookType } from '#contracts/api';
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
  return `${explain}; to evict after all: curtail enforce ${run.queue}${partitionOption(run.partition)}`;
}
