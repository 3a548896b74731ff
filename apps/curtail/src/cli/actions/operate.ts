import type { ApprovedRun, CancelledRun, CommandedRun } from '#api-client';
import { counted, covers, isWithin, placeOptions } from '#contracts/ground';
import { within } from '#waiting';
import type { Action, Invocation } from '../invocation/invocation.js';
import { amountsText } from '../output/amounts.js';
import { changeSentence } from '../output/change-effect-lines.js';
import { placeOf } from '../output/inventory-lines.js';
import { needsRequest, whatEnforces } from '../output/status-lines.js';
import { withClockTimes } from '../output/time.js';
import { assertPlace, meantPartition, warnOfUnknown } from '../server/assert-place.js';
import { callerName, clientOf } from '../server/client.js';
import { runOf } from '../server/queue-run.js';
import { CommandError } from '../terminal/errors.js';
import { commanded, type OperatedPlace, placeName, placeText } from './commanded.js';
import { oneQueue } from './one-queue.js';

/** A stop by its name, or the queue of one; without a queue all of the partition. */
export type NamedStop = Partial<OperatedPlace>;

interface Reasoned {
  reason?: string;
}

/** Commands on a run, their results, and the next command to suggest. */
const verbs = {
  cancel: {
    done: 'was cancelled',
    next: (id: string) => `see its outcome: curtail get enforcements ${id}`,
  },
  approve: {
    done: 'was approved and continues',
    next: (id: string) => `watch it: curtail get enforcements ${id} --watch`,
  },
  reject: {
    done: 'was rejected; nothing is evicted',
    next: (id: string) => `see why it was planned: curtail explain enforcement ${id}`,
  },
} as const;

export function runCommand(verb: keyof typeof verbs): Action {
  return {
    run: async (
      invocation: Invocation,
      given: string,
      { reason, partition = 'default' }: Reasoned & Partial<OperatedPlace>,
    ) => {
      const client = clientOf(invocation);
      const enforcement = await runOf(client, given, partition);
      const result: CommandedRun & Partial<ApprovedRun & CancelledRun> = await client.post(
        `/v1/enforcements/{enforcement}/${verb}`,
        {
          params: { path: { enforcement } },
          body: { by: callerName(), ...(reason === undefined ? {} : { reason }) },
        },
      );
      const was = result.was === undefined ? '' : ` (it was ${result.was})`;
      const { done, next } = verbs[verb];
      if (result.note !== undefined) invocation.report(result.note);
      if (result.change) invocation.report(changeSentence(result.change));
      return commanded(invocation, result, `enforcement/${enforcement}`, [
        `run ${enforcement} of ${result.queue} ${done}${was}`,
        next(enforcement),
      ]);
    },
  };
}

export const resume: Action = {
  run: async (invocation: Invocation, named: NamedStop | undefined, options: OperatedPlace) => {
    if (named?.partition !== undefined && options.queue !== undefined) {
      throw new CommandError('name one: curtail resume STOP, or curtail resume QUEUE');
    }
    oneQueue(named?.queue, options.queue);
    const { partition, queue } = { ...options, ...named };
    if (named?.partition !== undefined) await assertOneStop(invocation, { partition, ...named });
    const result = await clientOf(invocation).delete('/v1/kill-switch', {
      params: { query: { partition, queue, by: callerName() } },
    });
    const { cleared } = result;
    if (cleared === 0) await assertPlace(invocation, partition, queue);
    const where = placeText(partition, queue);
    const holding = await reportStopsLeft(invocation, partition, queue);
    if (holding) {
      const count = cleared === 0 ? 'no stop was' : counted(cleared, 'stop was', 'stops were');
      return commanded(invocation, result, placeName(partition, queue), [
        `${count} cleared; evictions in ${where} stay stopped`,
        `resume them: curtail resume${placeOptions(partition, holding.queue)}`,
      ]);
    }
    await reportWhatStays(invocation, partition, queue);
    return commanded(invocation, result, placeName(partition, queue), [
      cleared === 0
        ? `nothing was stopped in ${where}`
        : `evictions in ${where} resume; ${counted(cleared, 'stop was', 'stops were')} cleared`,
      cleared === 0
        ? `see what is stopped or waits: curtail status${placeOf({ partition })}`
        : `see which clocks run again: curtail get timers${placeOf({ partition })}`,
    ]);
  },
};

/** Reports the stops of queues below, which stay. @returns a stop that still holds the queue. */
async function reportStopsLeft(
  invocation: Invocation,
  partition: string,
  queue: string | undefined,
): Promise<OperatedPlace | undefined> {
  if (queue === undefined) return undefined;
  const answer = await within({ ms: statusMs, signals: [] }, (signal) =>
    clientOf(invocation).get('/v1/kill-switch', { signal }),
  ).catch(() => undefined);
  const left = (answer?.items ?? []).filter((stop) => stop.partition === partition);
  for (const { queue: below } of left) {
    if (below === null || below === queue || !isWithin(below, queue)) continue;
    invocation.report(
      `evictions in ${placeText(partition, below)} stay stopped. To resume them: curtail resume${placeOptions(partition, below)}`,
    );
  }
  const holding = left.find((stop) => covers(stop.queue, queue));
  return holding && { partition, ...(holding.queue !== null && { queue: holding.queue }) };
}

/** Without a queue, the service clears every stop of the partition, which is more than the name of one stop means. */
async function assertOneStop(invocation: Invocation, { partition, queue }: OperatedPlace): Promise<void> {
  if (queue !== undefined) return;
  const { items } = await clientOf(invocation).get('/v1/kill-switch');
  const others = items.filter((stop) => stop.partition === partition && stop.queue !== null);
  if (others.length === 0) return;
  throw new CommandError(
    `partition ${partition} has ${counted(others.length, 'stop of a queue', 'stops of queues')} as well, and its own stop cannot be cleared alone`,
    { next: `clear all of them: curtail resume${placeOf({ partition })}` },
  );
}

export const mode: Action = {
  run: async (
    invocation: Invocation,
    wanted: string | undefined,
    { partition, allowUnknown }: OperatedPlace & { allowUnknown?: boolean },
  ) => {
    if (wanted === undefined) return showMode(invocation, partition);
    if (wanted !== 'observe' && wanted !== 'enforce') {
      throw new CommandError(`there is no mode ${wanted}: write observe or enforce`);
    }
    const client = clientOf(invocation);
    const result = await client.put('/v1/partitions/{partition}/mode', {
      params: { path: { partition } },
      body: { mode: wanted, by: callerName(), ...(allowUnknown && { allowUnknown }) },
    });
    if (result.configured === false)
      warnOfUnknown(invocation, result, partition, undefined, await meantPartition(client, partition));
    return commanded(invocation, result, placeName(partition, undefined), [
      wanted === 'observe'
        ? `partition ${partition} is observed from now on: plans are made, nothing is evicted; runs in progress stop`
        : `partition ${partition} is enforced from the next run on: victims are evicted`,
      `see the runs: curtail get enforcements${placeOf({ partition })}`,
    ]);
  },
};

async function showMode(invocation: Invocation, partition: string): Promise<undefined> {
  const shown = await clientOf(invocation).get('/v1/partitions/{partition}/mode', {
    params: { path: { partition } },
  });
  const { mode, modeIsDefault, limited } = shown;
  if (limited) {
    const set = limited.set === null ? '' : `, and overrides the mode ${limited.set} that is set`;
    return commanded(invocation, shown, placeName(partition, undefined), [
      `partition ${partition} is observed: CURTAIL_MODE=observe limits the ${limited.by.join(' and the ')}${set}; nothing is evicted`,
      'evict in it: start Curtail without --mode observe and CURTAIL_MODE=observe',
    ]);
  }
  const other = mode === 'observe' ? 'enforce' : 'observe';
  return commanded(invocation, shown, placeName(partition, undefined), [
    `partition ${partition} is ${mode === 'observe' ? 'observed: plans are made, nothing is evicted' : 'enforced: victims are evicted'}${modeIsDefault ? '; this is the default, no mode was set' : ''}`,
    `change it: curtail mode ${other}${placeOf({ partition })}`,
  ]);
}

/** An operator does not wait longer for it. */
const statusMs = 2500;

/** Queues that stay above their quota although evictions resume, with the command that enforces it. */
async function reportWhatStays(
  invocation: Invocation,
  partition: string,
  queue: string | undefined,
): Promise<void> {
  // The command is carried out already: under a flood, only commands are answered.
  const status = await within({ ms: statusMs, signals: [] }, (signal) =>
    clientOf(invocation).get('/v1/status', { params: { query: { partition } }, signal }),
  ).catch(() => undefined);
  const above = (status?.partitions ?? []).flatMap((situation) => situation.above.first);
  for (const one of above) {
    const { queue: path, above: amounts, code, reason } = one;
    if (!needsRequest.has(code) || (queue !== undefined && !isWithin(path, queue))) continue;
    invocation.report(
      `${path} stays ${amountsText(amounts)} above its quota. ${withClockTimes(reason)}${whatEnforces(one, placeOf({ partition }))}`,
    );
  }
}
