import type { Invocation } from '../invocation/invocation.js';
import { changeSentence } from '../output/change-effect-lines.js';
import { placeOf } from '../output/place.js';
import { print } from '../output/print.js';
import { callerName, clientOf } from '../server/client.js';
import { CommandError } from '../terminal/errors.js';
import { type ExitStatus, exitStatus } from '../terminal/terminal.js';

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
): Promise<ExitStatus> {
  const result = await clientOf(invocation).post(
    `/v1/partitions/{partition}/configurations/{version}/${verb}`,
    {
      params: { path: { partition, version: `${version}` } },
      body: { by: callerName(), ...(reason === undefined ? {} : { reason }) },
    },
  );
  await print(invocation, {
    value: result,
    table: () => [changeSentence(result)],
    names: () => [`configuration/${version}`],
  });
  invocation.report(`next: watch its runs: curtail get enforcements --watch${placeOf({ partition })}`);
  return exitStatus.done;
}
