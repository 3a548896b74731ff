import { setTimeout as pause } from 'node:timers/promises';
import type { Enforcement, Queue } from '#api-client';
import { waitingForApproval } from '#contracts';
import type { Invocation } from '../invocation/invocation.js';
import { amountsText, durationText, usageAbove } from '../output/amounts.js';
import { placeOf } from '../output/inventory-lines.js';
import { print, printLine } from '../output/print.js';
import { withClockTimes } from '../output/time.js';
import { type Client, clientOf } from '../server/client.js';
import { fullName } from '../server/full-name.js';
import { ServerError } from '../server/server-error.js';
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
      await printLine(invocation, value, done, name);
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
    return async () => {
      const view = await client.get('/v1/queues/{path}', {
        params: { path: { path: queue }, query: { partition } },
      });
      return queueNow(view, view.enforcement === null ? undefined : await runOf(client, view.enforcement));
    };
  }
  const enforcement = await fullName(client, 'enforcement', what);
  return async () => runNow(await readRun(client, enforcement));
}

const readRun = (client: Client, enforcement: string): Promise<Enforcement> =>
  client.get('/v1/enforcements/{enforcement}', {
    params: { path: { enforcement }, query: { limit: 1 } },
  });

/** Undefined: it began a moment ago. */
async function runOf(client: Client, enforcement: string): Promise<Enforcement | undefined> {
  try {
    return await readRun(client, enforcement);
  } catch (error) {
    if (error instanceof ServerError && error.problem.status === 404) return undefined;
    throw error;
  }
}

function runNow(run: Enforcement): Awaited {
  const { enforcement, queue, state, outcome, evicted, victims } = run;
  return {
    value: run,
    name: `enforcement/${enforcement}`,
    ...(outcome !== null && {
      done: `run ${enforcement} of ${queue} ended as ${outcome}: ${evicted} of ${victims} evicted`,
    }),
    meanwhile: whyItWaits(run) ?? `run ${enforcement} of ${queue} is ${state}`,
  };
}

/** What a run waits for, and the commands that let it continue; undefined: for nothing but its due time. */
function whyItWaits({ enforcement, state, waiting }: Enforcement): string | undefined {
  const why = heldBy(waiting);
  if (state !== waitingForApproval) return why;
  return `${why ?? `run ${enforcement} waits for approval`}: curtail approve ${enforcement}, or curtail reject ${enforcement}`;
}

/** Other sentences than that of the due time, as a part of one. */
function heldBy(waiting: Queue['waiting']): string | undefined {
  if (!waiting || waiting.code === 'due') return undefined;
  const text = withClockTimes(waiting.message).replace(/\.$/, '');
  return text.charAt(0).toLowerCase() + text.slice(1);
}

function queueNow(view: Queue, run: Enforcement | undefined): Awaited {
  const { queue, usage, inFlight, max, clusterShare, enforcement, dueAt, waiting } = view;
  // Work that is leaving still uses what it has.
  const above = usageAbove(view);
  const isKnown = max !== null || clusterShare?.max === undefined;
  const isDone = isKnown && Object.keys(above).length === 0 && enforcement === null && dueAt === null;
  const leaving =
    Object.keys(inFlight).length === 0 ? '' : `, of which ${amountsText(inFlight)} is still leaving`;
  const used = `${amountsText(usage)} of ${amountsText(max)}`;
  const runs =
    enforcement === null
      ? undefined
      : ((run && whyItWaits(run)) ?? `run ${enforcement} is ${run?.state ?? 'in progress'}`);
  const clock = dueAt === null ? undefined : (heldBy(waiting) ?? 'its clock runs');
  const events = [runs, clock].filter((text) => text !== undefined);
  return {
    value: { ...view, above, withinQuota: isDone },
    name: `queue/${queue}`,
    ...(isDone && { done: `queue ${queue} is within its quota: ${used} in use` }),
    meanwhile: [`queue ${queue} uses ${used}${leaving}`, ...events].join('; '),
  };
}
