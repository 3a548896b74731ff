import type { DigestReplay, ProjectionsReplay, ShadowReplay } from '#api-client';
import { isObject } from '#contracts';
import { nameArgument } from '../input/arguments.js';
import { parseJsonText } from '../input/json.js';
import { inputLimits, readText } from '../input/source.js';
import type { Invocation } from '../invocation/invocation.js';
import { print, printLine, type Result } from '../output/print.js';
import { digestLines, projectionsLines, shadowLines } from '../output/replay-lines.js';
import { type Client, callerName, clientOf } from '../server/client.js';
import { fullName } from '../server/full-name.js';
import { replaying } from '../server/replaying.js';
import { CommandError } from '../terminal/errors.js';
import { type ExitStatus, exitStatus } from '../terminal/terminal.js';

interface ReplayOptions {
  into: 'digest' | 'projections' | 'shadow';
  from?: string;
  to?: string;
  settings?: string;
  set?: Record<string, unknown>;
  restart?: boolean;
  stop?: string;
  archive?: string;
}

export async function run(invocation: Invocation, options: ReplayOptions): Promise<ExitStatus | undefined> {
  if (options.archive !== undefined) return ofArchive(invocation, options, options.archive);
  const client = clientOf(invocation);
  if (options.stop !== undefined) return stop(invocation, client, options.stop);
  const { into, from, to, restart } = options;
  const request = {
    into,
    from,
    to,
    restart,
    settings: await settingsOf(invocation, options),
    by: callerName(),
  };
  const replayed = (await replaying(invocation, client, '/v1/replays', request)) as never;
  const { result, status } = shown[into](replayed, invocation);
  await print(invocation, result);
  return status;
}

async function ofArchive(
  invocation: Invocation,
  { into, from, to }: ReplayOptions,
  folder: string,
): Promise<ExitStatus> {
  if (into !== 'digest' || from !== undefined || to !== undefined)
    throw new CommandError(
      '--archive goes with --into digest alone, and all plans of the files: leave the rest out',
    );
  const { replayArchive } = await import('./log.js');
  const { result, status } = shown.digest((await replayArchive(folder)) as never, invocation);
  await print(invocation, result);
  return status;
}

/** The result in each output format, and the exit status. */
interface Shown {
  result: Result;
  status: ExitStatus;
}

const runs = (different: { enforcement: string }[]) =>
  different.map(({ enforcement }) => `enforcement/${enforcement}`);

const shown: Record<ReplayOptions['into'], (replayed: never, invocation: Invocation) => Shown> = {
  digest: (replayed: DigestReplay, invocation) => ({
    result: {
      value: replayed,
      table: () => digestLines(replayed, invocation),
      names: () => runs(replayed.different),
    },
    status: replayed.same + replayed.notKept < replayed.plans ? exitStatus.failed : exitStatus.done,
  }),
  projections: (replayed: ProjectionsReplay, invocation) => ({
    result: {
      value: replayed,
      table: () => projectionsLines(replayed, invocation),
      names: () => ['replay/projections'],
    },
    status: exitStatus.done,
  }),
  shadow: (replayed: ShadowReplay, invocation) => ({
    result: {
      value: replayed,
      table: () => shadowLines(replayed, invocation),
      names: () => runs(replayed.different),
    },
    status: exitStatus.done,
  }),
};

/** Settings of the file, overridden by those given one by one. */
async function settingsOf(
  { terminal }: Invocation,
  { into, settings: file, set }: ReplayOptions,
): Promise<Record<string, unknown> | undefined> {
  if (into !== 'shadow' && (file !== undefined || set !== undefined)) {
    throw new CommandError('--settings and --set are for --into shadow: leave them out, or add that');
  }
  if (file === undefined) return set;
  const read = parseJsonText(await readText(file, terminal, inputLimits.fileBytes));
  if (isObject(read)) return { ...read, ...set };
  throw new CommandError(`${file} holds no settings: write an object such as {"fit":"within","miss":5}`);
}

async function stop(invocation: Invocation, client: Client, given: string): Promise<undefined> {
  const replay = await fullName(client, 'replay', nameArgument('replay')(given));
  const result = await client.delete('/v1/replays/{replay}', { params: { path: { replay } } });
  await printLine(
    invocation,
    result,
    result.stopping ? `${replay} stops at its next page` : `${replay} is not running: it is ${result.was}`,
    `replay/${replay}`,
  );
}
