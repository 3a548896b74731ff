import { setTimeout as pause } from 'node:timers/promises';
import type { Enforcement, Queue } from '#api-client';
import type { Invocation } from '../invocation/invocation.js';
import { usageAbove } from '../output/above-quota.js';
import { amountsText, durationText } from '../output/amounts.js';
import { placeOf } from '../output/place.js';
import { print } from '../output/print.js';
import { withClockTimes } from '../output/time.js';
import { type Client, clientOf } from '../server/client.js';
import { fullName } from '../server/full-name.js';
import { CommandError } from '../terminal/errors.js';
import { type ExitStatus, exitStatus } from '../terminal/terminal.js';

interface WaitOptions {
  partition: string;
  /** In seconds. */
  timeout: number;
}

/** What is awaited, as it is now; `done`: a sentence once it is there, `meanwhile` until then. */
interface Awaited {
  value: unknown;
  name: string;
  done?: string;
  meanwhile: string;
}

const everyMs = 1000;

export async function run(
  invocation: Invocation,
  what: string,
  { partition, timeout }: WaitOptions,
): Promise<ExitStatus> {
  const client = clientOf(invocation);
  const interrupted = invocation.terminal.untilInterrupted?.() ?? new AbortController().signal;
  const read = await readerOf(client, what, partition);
  const until = performance.now() + timeout * 1000;
  for (let reported = ''; ; ) {
    const { value, name, done, meanwhile } = await read();
    if (done !== undefined) {
      await print(invocation, { value, table: () => [done], names: () => [name] });
      return exitStatus.done;
    }
    if (meanwhile !== reported) invocation.report(meanwhile);
    reported = meanwhile;
    if (performance.now() >= until) {
      // For programs, as far as it is; for people, below.
      if (invocation.format === 'json' || invocation.format === 'yaml') {
        await print(invocation, { value, table: () => [], names: () => [] });
      }
      invocation.report(
        `not within ${durationText(timeout)}: ${meanwhile}\nnext: see why: curtail status${placeOf({ partition })}`,
      );
      return exitStatus.needsAttention;
    }
    await pause(everyMs, undefined, { signal: interrupted }).catch(() => {});
    if (interrupted.aborted) throw new CommandError('the wait was interrupted');
  }
}

async function readerOf(client: Client, what: string, partition: string): Promise<() => Promise<Awaited>> {
  const queue = /^queue\/(.+)$/.exec(what)?.[1]?.toLowerCase();
  if (queue !== undefined) {
    return async () =>
      queueNow(
        await client.get('/v1/queues/{path}', { params: { path: { path: queue }, query: { partition } } }),
      );
  }
  const enforcement = await fullName(client, 'enforcement', what);
  return async () =>
    runNow(
      await client.get('/v1/enforcements/{enforcement}', {
        params: { path: { enforcement }, query: { limit: 1 } },
      }),
    );
}

function runNow(run: Enforcement): Awaited {
  const { enforcement, queue, state, outcome, evicted, victims, waiting } = run;
  return {
    value: run,
    name: `enforcement/${enforcement}`,
    ...(outcome !== null && {
      done: `run ${enforcement} of ${queue} ended as ${outcome}: ${evicted} of ${victims} evicted`,
    }),
    meanwhile:
      state === 'waiting for approval'
        ? `run ${enforcement} of ${queue} waits for approval and continues only then${because(waiting?.message)}: curtail approve ${enforcement}, or curtail reject ${enforcement}`
        : `run ${enforcement} of ${queue} is ${state}`,
  };
}

const because = (message: string | undefined) =>
  message === undefined ? '' : ` (${withClockTimes(message).replace(/\.$/, '')})`;

function queueNow(view: Queue): Awaited {
  const { queue, usage, inFlight, max, clusterShare, enforcement, dueAt, runState } = view;
  // Work that is leaving still uses what it has.
  const above = usageAbove(view);
  const isKnown = max !== null || clusterShare?.max === undefined;
  const isDone = isKnown && Object.keys(above).length === 0 && enforcement === null && dueAt === null;
  const leaving =
    Object.keys(inFlight).length === 0 ? '' : `, of which ${amountsText(inFlight)} is still leaving`;
  const used = `${amountsText(usage)} of ${amountsText(max)}`;
  const run =
    enforcement === null
      ? ''
      : runState === 'waiting for approval'
        ? `, run ${enforcement} waits for approval: curtail approve ${enforcement}, or curtail reject ${enforcement}`
        : `, run ${enforcement} is in progress`;
  const clock = dueAt === null ? '' : ', its clock runs';
  return {
    value: { ...view, above, withinQuota: isDone },
    name: `queue/${queue}`,
    ...(isDone && { done: `queue ${queue} is within its quota: ${used} in use` }),
    meanwhile: `queue ${queue} uses ${used}${leaving}${run}${clock}`,
  };
}
