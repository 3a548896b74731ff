import { counted, ofEnforcement, ofPartition, ofQueue, partitionOption } from '@curtail/contracts';
import type { Attention, PartitionSituation, StatusView } from '@curtail/contracts/api';
import type { WaitingConsumer } from '@curtail/messaging';
import { isUnexplained } from './queues-above.js';

/** What does not continue without a person, in the order in which to look at it. */
export function needsAttention({
  partitions,
  deadLetters,
  outdated,
}: Pick<StatusView, 'partitions' | 'deadLetters'> & { outdated: readonly WaitingConsumer[] }): Attention[] {
  return [
    ...partitions.flatMap(runsToApprove),
    ...partitions.flatMap(silentScheduler),
    ...partitions.flatMap(quotasNotMet),
    ...partitions.flatMap(stoppedClocks),
    ...deadLettersLeft(deadLetters),
    ...outdated.map(newerRelease),
  ];
}

function runsToApprove({ waiting }: PartitionSituation): Attention[] {
  return waiting.first.map(({ enforcement, queue, victims }) => ({
    code: 'waits-for-approval',
    message: `Run ${enforcement} of ${queue} waits for approval of ${counted(victims, 'victim', 'victims')}.`,
    remedy: `review it with curtail explain enforcement ${enforcement}, then curtail approve ${enforcement} or curtail reject ${enforcement}`,
    about: ofEnforcement(enforcement),
  }));
}

/** Nothing is planned or evicted on a view that is not known. */
function silentScheduler({ partition, inventory }: PartitionSituation): Attention[] {
  if (!inventory || inventory.known) return [];
  return inventory.notices.slice(0, 1).map(({ message, remedy }) => ({
    code: 'cluster-unknown',
    message: `Partition ${partition} waits for its scheduler: ${message}.`,
    remedy,
    about: ofPartition(partition),
  }));
}

function quotasNotMet({ partition, above }: PartitionSituation): Attention[] {
  return above.first.filter(isUnexplained).map(({ queue, reason }) => ({
    code: 'quota-not-met',
    message: `Queue ${queue} stays above its quota. ${reason}`,
    remedy: `see why with curtail explain queue ${queue}${partitionOption(partition)}, or enforce it with curtail enforce ${queue}${partitionOption(partition)}`,
    about: ofQueue(queue),
  }));
}

/** A stop is meant to be temporary; the clocks that it suspends run again once it is cleared. */
function stoppedClocks({ partition, stops, suspended }: PartitionSituation): Attention[] {
  if (suspended === 0) return [];
  return stops.map(({ queue, by }) => ({
    code: 'stopped',
    message: `User ${by} stopped evictions in ${queue ?? `the partition ${partition}`}, and clocks wait.`,
    remedy: `resume them with curtail resume${partitionOption(partition)}${queue === null ? '' : ` --queue ${queue}`}`,
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

function newerRelease({ consumer, where, reason }: WaitingConsumer): Attention {
  return {
    code: 'consumer-waits',
    message: `Consumer ${consumer} waits at ${where}: ${reason}.`,
    remedy: 'finish the upgrade: start processes of the newer release',
    about: ofPartition('default'),
  };
}
