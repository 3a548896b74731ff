import type { Freeze } from '#api-client';
import { counted } from '#contracts/ground';
import type { Action, Invocation } from '../invocation/invocation.js';
import { placeOf } from '../output/inventory-lines.js';
import { printLine } from '../output/print.js';
import { clockText } from '../output/time.js';
import { assertPlace, warnOfUnknown } from '../server/assert-place.js';
import { callerName, clientOf } from '../server/client.js';
import { CommandError } from '../terminal/errors.js';
import { oneQueue } from './one-queue.js';

interface Place {
  partition: string;
  queue?: string;
}

interface Window {
  from?: string;
  until?: string;
  duration?: string;
  rule?: string;
  timeZone?: string;
  reason?: string;
  allowUnknown?: boolean;
}

export const freeze: Action = {
  run: async (invocation: Invocation, { partition, queue, ...window }: Place & Window) => {
    const { from, until, duration, rule, timeZone, reason, allowUnknown } = window;
    const result = await clientOf(invocation).post('/v1/freezes', {
      body: {
        partition,
        by: callerName(),
        ...(queue !== undefined && { queue }),
        ...(from !== undefined && { from }),
        ...(until !== undefined && { until }),
        ...(duration !== undefined && { duration }),
        ...(rule !== undefined && { rule }),
        ...(timeZone !== undefined && { timeZone }),
        ...(reason !== undefined && { reason }),
        ...(allowUnknown && { allowUnknown }),
      },
    });
    warnOfUnknown(invocation, result, partition, queue);
    await printLine(
      invocation,
      result,
      `${placeText(result)} ${windowText(result)} (${result.freeze})`,
      `freeze/${result.freeze}`,
    );
    invocation.report(`next: see which clocks wait: curtail get timers${placeOf({ partition })}`);
  },
};

export const unfreeze: Action = {
  run: async (
    invocation: Invocation,
    given: string | { queue: string } | undefined,
    { partition, queue: option }: Place,
  ) => {
    const id = typeof given === 'string' ? given : undefined;
    const { queue } = oneQueue(typeof given === 'object' ? given.queue : undefined, option);
    if (id !== undefined && queue !== undefined)
      throw new CommandError('name one: curtail unfreeze FREEZE, or curtail unfreeze QUEUE');
    const client = clientOf(invocation);
    const named = id === undefined ? undefined : await freezeOf(invocation, id);
    const result = await client.delete('/v1/freezes', {
      params: {
        query: {
          partition: named?.partition ?? partition,
          by: callerName(),
          ...(queue !== undefined && { queue }),
          ...(named && { freeze: named.freeze }),
        },
      },
    });
    const { cleared, kept } = result;
    if (cleared.length + kept.length === 0 && named === undefined)
      await assertPlace(invocation, partition, queue);
    await printLine(
      invocation,
      result,
      cleared.length === 0
        ? `no operator has set a freeze in ${queue ?? `partition ${partition}`}`
        : `${counted(cleared.length, 'freeze was', 'freezes were')} cleared: ${cleared.join(', ')}`,
      ...cleared.map((freeze) => `freeze/${freeze}`),
    );
    if (kept.length > 0)
      invocation.report(
        `the configuration still sets ${counted(kept.length, 'freeze')}: ${kept.join(', ')}; to end ${kept.length === 1 ? 'it' : 'them'}, remove curtail.freeze there and apply it`,
      );
    invocation.report(`next: see which clocks are due: curtail get timers${placeOf(result)}`);
  },
};

async function freezeOf(invocation: Invocation, given: string): Promise<Freeze> {
  const id = given.toLowerCase().replace(/^freeze\//, '');
  const { items } = await clientOf(invocation).get('/v1/freezes');
  const found = items.find(({ freeze }) => freeze === id);
  if (found) return found;
  throw new CommandError(`there is no freeze ${id}`, { next: 'list them: curtail get freezes' });
}

const placeText = ({ partition, queue }: Freeze): string =>
  `evictions in ${queue === null ? `partition ${partition}` : `${queue} and below (partition ${partition})`}`;

function windowText({ inEffect, from, until, recurs }: Freeze): string {
  const window = inEffect
    ? `are frozen until ${clockText(until)}`
    : `will be frozen from ${clockText(from)} until ${clockText(until)}`;
  return recurs ? `${window}, and again by its rule` : window;
}
