import { counted, ofPartition, ofQueue, partitionOption, placeOptions } from '@curtail/contracts';
import type { Attention, PartitionSituation, StatusView, WebhookStatus } from '@curtail/contracts/api';
import type { WaitingConsumer } from '@curtail/messaging';
import { clusterUnknown, waitsForApproval } from '../waiting/for-someone.js';
import { isUnexplained } from './queues-above.js';

/** An event that is older shows a consumer that does not read, or one that is far too slow. */
const behindSeconds = 300;

/** Conditions that do not end without a person, the most urgent first. */
export function needsAttention({
  partitions,
  deadLetters,
  webhook,
  outdated,
  consumers,
}: Pick<StatusView, 'partitions' | 'deadLetters' | 'webhook' | 'consumers'> & {
  outdated: readonly WaitingConsumer[];
}): Attention[] {
  return [
    ...partitions.flatMap(runsToApprove),
    ...partitions.flatMap(silentScheduler),
    ...partitions.flatMap(quotasNotMet),
    ...partitions.flatMap(stopsInForce),
    ...deadLettersLeft(deadLetters),
    ...webhookFails(webhook),
    ...outdated.map(newerRelease),
    ...behind(consumers, outdated),
  ];
}

const runsToApprove = ({ waiting }: PartitionSituation): Attention[] => waiting.first.map(waitsForApproval);

const silentScheduler = ({ inventory }: PartitionSituation): Attention[] =>
  inventory ? clusterUnknown(inventory) : [];

function quotasNotMet({ partition, above }: PartitionSituation): Attention[] {
  return above.first.filter(isUnexplained).map(({ queue, reason }) => ({
    code: 'quota-not-met',
    message: `Queue ${queue} stays above its quota. ${reason}`,
    remedy: `see why with curtail explain queue ${queue}${partitionOption(partition)}, or enforce it with curtail enforce ${queue}${partitionOption(partition)}`,
    about: ofQueue(queue),
  }));
}

/** A stop is meant to be temporary, and only a person ends it; the clocks that it suspends run again once it is cleared. */
function stopsInForce({ partition, stops, suspended }: PartitionSituation): Attention[] {
  // Any of the stops, or the switch of the partition, may suspend them.
  const held =
    suspended === 0
      ? 'no run evicts there until someone resumes evictions'
      : `${counted(suspended, 'clock of the partition is', 'clocks of the partition are')} suspended`;
  return stops.map(({ queue, by, reason }) => ({
    code: 'stopped',
    message: `User ${by} stopped evictions in ${queue ?? `partition ${partition}`}${reason ? ` (${reason})` : ''}, and ${held}.`,
    remedy: `resume them with curtail resume${placeOptions(partition, queue)}`,
    about: queue === null ? ofPartition(partition) : ofQueue(queue),
  }));
}

function deadLettersLeft(letters: number): Attention[] {
  if (letters === 0) return [];
  return [
    {
      code: 'dead-letters',
      message: `${counted(letters, 'event was', 'events were')} put aside as dead ${letters === 1 ? 'letter' : 'letters'}.`,
      remedy: 'see the reasons with curtail dead-letters list',
      about: ofPartition('default'),
    },
  ];
}

function webhookFails(webhook: WebhookStatus | null): Attention[] {
  if (!webhook || webhook.failing + webhook.dead === 0) return [];
  const { failing, dead, lastError } = webhook;
  const parts = [
    ...(failing > 0 ? [`${counted(failing, 'message is', 'messages are')} being retried`] : []),
    ...(dead > 0 ? [`${counted(dead, 'message was', 'messages were')} given up`] : []),
  ];
  return [
    {
      code: 'webhook-fails',
      message: `Deliveries to the webhook fail: ${parts.join(', ')}${lastError === null ? '' : `; ${lastError}`}.`,
      remedy:
        'check its receiver and CURTAIL_WEBHOOK_URL, then run curtail webhook test; curtail webhook resend sends again what was given up',
      about: ofPartition('default'),
    },
  ];
}

/** Whatever keeps its processes from reading: each of them is not ready, and says why. One that waits for a newer release says so itself. */
function behind(consumers: StatusView['consumers'], outdated: readonly WaitingConsumer[]): Attention[] {
  return consumers
    .filter(
      ({ name, ageSeconds }) =>
        ageSeconds >= behindSeconds && !outdated.some(({ consumer }) => consumer === name),
    )
    .map(({ name, lag, ageSeconds }) => ({
      code: 'consumer-behind',
      message: `Consumer ${name} has not handled ${counted(lag, 'event', 'events')}; the oldest has waited for ${counted(Math.floor(ageSeconds / 60), 'minute', 'minutes')}.`,
      remedy: 'see whether its processes run: /readyz and the log of each name what keeps it from reading',
      about: ofPartition('default'),
    }));
}

function newerRelease({ consumer, where, reason }: WaitingConsumer): Attention {
  return {
    code: 'consumer-waits',
    message: `Consumer ${consumer} waits at ${where}: ${reason}.`,
    remedy: 'finish the upgrade: start processes of the newer release',
    about: ofPartition('default'),
  };
}
