import type { Enforcement } from '#api-client';
import { counted } from '#contracts';
import { confirm } from '../input/confirm.js';
import type { Invocation } from '../invocation/invocation.js';
import { amountAboveQuota, amountsText } from '../output/amounts.js';
import { changeEffectLines, changeSentence } from '../output/change-effect-lines.js';
import { placeOf } from '../output/inventory-lines.js';
import { printLine } from '../output/print.js';
import { type Client, callerName, clientOf } from '../server/client.js';
import { runOf } from '../server/queue-run.js';
import { ServerError } from '../server/server-error.js';
import { CommandError } from '../terminal/errors.js';
import { type ExitStatus } from '../terminal/terminal.js';
import { runCommand } from './operate.js';

/**
 * Shows what the run would do now, or all runs of a configuration, and asks; a run that does not wait is refused by the server.
 */
export async function run(
  invocation: Invocation,
  given: string | undefined,
  { yes, ...options }: ChangeOptions & { yes?: boolean },
): Promise<ExitStatus | undefined> {
  const client = clientOf(invocation);
  const { enforcement: named, version } = oneOfBoth(given, options);
  if (version !== undefined) {
    await showChange(invocation, client, options.partition, version);
    await confirm(invocation, `Approve all runs of configuration ${version}?`, yes);
    return decideChange(invocation, 'approve', version, options);
  }
  const enforcement = await runOf(client, named, options.partition);
  if (!yes) {
    const view = await client.get('/v1/enforcements/{enforcement}', {
      params: { path: { enforcement }, query: { limit: 1 } },
    });
    if (mayWait(view) && view.approvedWith != null) {
      await showChange(invocation, client, view.partition, view.approvedWith);
      const question = `Approve run ${enforcement} of ${view.queue} and all runs of configuration ${view.approvedWith}?`;
      await confirm(invocation, question, yes);
    } else if (mayWait(view)) {
      for (const line of await effectOf(client, view)) invocation.report(line);
      await confirm(invocation, `Approve run ${enforcement} of ${view.queue}?`, yes);
    }
  }
  return runCommand('approve').run(invocation, ...([enforcement, {}] as never[]));
}

async function showChange(
  invocation: Invocation,
  client: Client,
  partition: string,
  version: number,
): Promise<void> {
  const effect = await client.get('/v1/partitions/{partition}/configurations/{version}/effect', {
    params: { path: { partition, version: `${version}` } },
  });
  for (const line of changeEffectLines(effect, invocation)) invocation.report(line);
}

const after: Enforcement['state'][] = ['approved', 'rejected', 'executing', 'cancelled', 'ended'];

/** The view may be older than the run: only a state after the wait proves that it does not wait. */
const mayWait = ({ state }: Enforcement) => !after.includes(state);

/** What it planned, and what of that the quota in force still needs. */
async function effectOf(client: Client, view: Enforcement): Promise<string[]> {
  const { enforcement, partition, queue, round, victims, claimed, message } = view;
  const planned = `Run ${enforcement} planned to evict ${counted(victims, 'allocation', 'allocations')} (${amountsText(claimed)})${message === null ? '.' : `: ${message}`}`;
  if (round !== null) return [planned];
  const now = await client
    .get('/v1/queues/{path}', { params: { path: { path: queue }, query: { partition } } })
    .catch((error: unknown) => {
      if (error instanceof ServerError && error.problem.status === 404) return undefined;
      throw error;
    });
  if (!now) return [planned];
  const above = amountAboveQuota(now);
  return [
    planned,
    Object.keys(above).length === 0
      ? `Queue ${queue} is within its quota now: the run would evict nothing.`
      : `Queue ${queue} is ${amountsText(above)} above its quota now: the run evicts what that requires, and no more than planned.`,
  ];
}

export interface ChangeOptions {
  partition: string;
  configuration?: number;
  reason?: string;
}

/** @throws CommandError unless exactly one of a run and a version of the configuration is named. */
export function oneOfBoth(
  enforcement: string | undefined,
  { configuration: version }: Pick<ChangeOptions, 'configuration'>,
): { enforcement: string; version: undefined } | { enforcement: undefined; version: number } {
  if (enforcement !== undefined && version === undefined) return { enforcement, version };
  if (enforcement === undefined && version !== undefined) return { enforcement, version };
  throw new CommandError(
    enforcement === undefined
      ? 'name a run, or a version of the configuration: --configuration VERSION'
      : 'a run and --configuration are both named; choose one',
  );
}

/** Approves or rejects all runs that a version of the configuration causes. */
export async function decideChange(
  invocation: Invocation,
  verb: 'approve' | 'reject',
  version: number,
  { partition, reason }: ChangeOptions,
): Promise<undefined> {
  const result = await clientOf(invocation).post(
    `/v1/partitions/{partition}/configurations/{version}/${verb}`,
    {
      params: { path: { partition, version: `${version}` } },
      body: { by: callerName(), ...(reason === undefined ? {} : { reason }) },
    },
  );
  await printLine(invocation, result, changeSentence(result), `configuration/${version}`);
  invocation.report(`next: watch its runs: curtail get enforcements --watch${placeOf({ partition })}`);
}
