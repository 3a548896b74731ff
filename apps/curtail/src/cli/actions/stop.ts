import { partitionOptionText, placeOptions } from '#contracts/ground';
import type { Action, Invocation } from '../invocation/invocation.js';
import { warnOfUnknown } from '../server/assert-place.js';
import { callerName, clientOf } from '../server/client.js';
import { commanded, type OperatedPlace, placeName, placeText } from './commanded.js';

/** The kill switch. It loads what it needs and no more, since it must not wait. */
export const stop: Action = {
  run: async (
    invocation: Invocation,
    { partition, queue, reason, allowUnknown }: OperatedPlace & { reason?: string; allowUnknown?: boolean },
  ) => {
    const result = await clientOf(invocation).post('/v1/kill-switch', {
      body: {
        partition,
        by: callerName(),
        ...(queue === undefined ? {} : { queue }),
        ...(reason === undefined ? {} : { reason }),
        ...(allowUnknown && { allowUnknown }),
      },
    });
    warnOfUnknown(invocation, result, partition, queue);
    return commanded(invocation, result, placeName(partition, queue), [
      queue === undefined
        ? `all evictions in partition ${partition} are stopped until you resume them: those of every queue, of runs in progress and of clocks`
        : `evictions in ${placeText(partition, queue)} are stopped until you resume them`,
      queue === undefined
        ? `resume them: curtail resume${partitionOptionText(partition)}; to stop only one queue after that: curtail stop QUEUE${partitionOptionText(partition)}`
        : `resume them: curtail resume${placeOptions(partition, queue)}`,
    ]);
  },
};
