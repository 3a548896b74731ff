import type { Applied, ConfigurationWarning, Preview } from '#api-client';
import { isOnByDefault } from '#contracts';
import { type Applicable, isLong, megabytesOf } from '../input/configuration.js';
import { confirm } from '../input/confirm.js';
import { type Part, type PartOptions, readInputParts } from '../input/parts.js';
import type { Invocation } from '../invocation/invocation.js';
import type { AppliedWithClocks } from '../output/applied-lines.js';
import { nextForWaiting } from '../output/foreseen-lines.js';
import { problemText, writeErrors } from '../output/validation.js';
import { type Client, callerName, clientOf } from '../server/client.js';
import { ServerError } from '../server/server-error.js';
import { shellWord } from '../terminal/called.js';
import { CommandError } from '../terminal/errors.js';
import { printable } from '../terminal/printable.js';
import { type ExitStatus, exitStatus } from '../terminal/terminal.js';
import {
  changesSomething,
  nextOfApply,
  printApplied,
  printPreviews,
  reportReplaced,
  withClocks,
} from './print-configuration.js';

interface ApplyOptions extends PartOptions {
  dryRun?: boolean;
  /** 0: none is in force. */
  ifVersion?: number;
  yes?: boolean;
}

/** The headers of a conditional request. */
type Condition = { 'if-match'?: string; 'if-none-match'?: string };

interface SendOptions {
  dryRun?: true;
  by?: string;
  condition?: Condition;
  removeQueues?: boolean;
}

export async function run(
  invocation: Invocation,
  files: readonly string[] | undefined,
  given: ApplyOptions,
): Promise<ExitStatus> {
  const options = { ...given, file: [...(files ?? []), ...given.file] };
  if (options.file.length === 0) {
    throw new CommandError('no configuration is named: curtail apply FILE', {
      next: 'see its arguments and options: curtail apply --help',
    });
  }
  const parts = await readInputParts(invocation, options);
  if (parts === undefined) return exitStatus.failed;
  const client = clientOf(invocation);
  return options.dryRun
    ? await preview(invocation, client, options, parts)
    : await apply(invocation, client, parts, options);
}

/** @throws CommandError for several partitions: each has versions of its own. */
function conditionOf(version: number | undefined, parts: readonly Part[]): Condition {
  if (version === undefined) return {};
  if (parts.length > 1) {
    throw new CommandError('--if-version is for one partition: name it with --partition');
  }
  return version === 0 ? { 'if-none-match': '*' } : { 'if-match': `"${version}"` };
}

/** The server also knows the cluster, so it may refuse a file that is correct by itself. */
class ConfigurationRefused extends CommandError {}

async function send(
  invocation: Invocation,
  client: Client,
  { file, partition, queue, read, allowUnknown }: Part,
  { dryRun, by, condition: header = {}, removeQueues }: SendOptions,
): Promise<Applied | Preview> {
  const { text } = read;
  if (isLong(text)) {
    const what = dryRun ? 'previews' : 'compares and records';
    invocation.report(
      `sending ${file}: the server ${what} ${megabytesOf(text)}, which may take some seconds`,
    );
  }
  // `queues.yaml` is the default format.
  const format = read.format === 'yunikorn' ? undefined : read.format;
  const body = { headers: { 'content-type': typeOf(read) }, body: text };
  try {
    if (queue !== undefined) {
      return await client.put('/v1/partitions/{partition}/queues/{queue}/config', {
        params: { path: { partition, queue }, query: { dryRun, by, allowUnknown, removeQueues }, header },
        ...body,
      });
    }
    return await client.put('/v1/partitions/{partition}/config', {
      params: { path: { partition }, query: { dryRun, by, format, allowUnknown, removeQueues }, header },
      ...body,
    });
  } catch (error) {
    if (!(error instanceof ServerError) || error.code !== 'configuration-refused') throw error;
    const errors = error.problem.errors ?? [];
    writeErrors(
      invocation.terminal,
      file,
      errors.map(({ path = '', message = '', line, column }) => ({
        path,
        message,
        ...(line ? { line } : {}),
        ...(column ? { column } : {}),
      })),
    );
    throw new ConfigurationRefused(`the configuration of ${queue ?? partition} is refused`);
  }
}

async function preview(
  invocation: Invocation,
  client: Client,
  options: ApplyOptions,
  parts: readonly Part[],
): Promise<ExitStatus> {
  const previews: Preview[] = [];
  for (const part of parts) {
    try {
      previews.push((await send(invocation, client, part, { dryRun: true })) as Preview);
    } catch (error) {
      if (error instanceof ConfigurationRefused) return exitStatus.failed;
      throw error;
    }
  }
  await printPreviews(invocation, previews);
  warn(invocation, parts, previews);
  invocation.report('nothing was changed');
  if (previews.some(changesSomething)) invocation.report(`next: put it in force: ${inForce(options)}`);
  for (const next of nextForWaiting(previews)) invocation.report(next);
  return previews.some(({ victims }) => victims > 0) ? exitStatus.wouldEvict : exitStatus.done;
}

/** The command that applies what was previewed. */
function inForce({ file, partition, queue, format, yarnSite, allowUnknown }: ApplyOptions): string {
  const words = [
    ...file.map((path) => ['-f', path] as const),
    ['--partition', partition] as const,
    ['--queue', queue] as const,
    ['--format', format] as const,
    ['--yarn-site', yarnSite] as const,
  ];
  const given = words.flatMap(([option, value]) => (value === undefined ? [] : [option, shellWord(value)]));
  return ['curtail apply', ...given, ...(allowUnknown ? ['--allow-unknown'] : [])].join(' ');
}

async function apply(
  invocation: Invocation,
  client: Client,
  parts: readonly Part[],
  options: ApplyOptions,
): Promise<ExitStatus> {
  const condition = conditionOf(options.ifVersion, parts);
  const all: AppliedWithClocks[] = [];
  for (const [index, part] of parts.entries()) {
    try {
      const applied = await putInForce(invocation, client, part, options, condition);
      all.push(await withClocks(client, applied));
    } catch (error) {
      if (all.length > 0) {
        const missing = parts.slice(index).map(({ partition }) => partition);
        invocation.report(
          `in force: ${all.map((one) => one.partition).join(', ')}; not ${missing.join(', ')}`,
        );
      }
      if (error instanceof ConfigurationRefused) return exitStatus.failed;
      throw error;
    }
  }
  await printApplied(invocation, all);
  warn(invocation, parts, all);
  reportReplaced(invocation, all);
  invocation.report(`next: ${nextOfApply(all)}`);
  return exitStatus.done;
}

/** Asks before queues are removed: they lose their quotas and guaranteed amounts. What was confirmed holds for that version alone. */
async function putInForce(
  invocation: Invocation,
  client: Client,
  part: Part,
  options: ApplyOptions,
  condition: Condition,
): Promise<Applied> {
  const by = callerName();
  const sent = async (sending: SendOptions) =>
    (await send(invocation, client, part, { by, condition, ...sending })) as Applied;
  if (options.yes) return sent({ removeQueues: true });
  try {
    return await sent({ removeQueues: false });
  } catch (error) {
    if (!(error instanceof ServerError) || error.code !== 'queues-would-be-removed') throw error;
    await confirmRemoval(invocation, part.partition, options, error);
    const { version } = error.problem as { version?: number };
    const removeQueues = true;
    return sent(
      version === undefined ? { removeQueues } : { removeQueues, condition: { 'if-match': `"${version}"` } },
    );
  }
}

async function confirmRemoval(
  invocation: Invocation,
  partition: string,
  options: ApplyOptions,
  { problem, details: { list = [] } }: ServerError,
): Promise<void> {
  const isReadFromInput = options.file.includes('-') || options.yarnSite === '-';
  if (!invocation.terminal.stdout.isTTY || isReadFromInput) {
    const next = `see what it changes: ${inForce(options)} --dry-run; confirm the removal: ${inForce(options)} --yes`;
    throw new CommandError(problem.detail ?? 'queues would be removed', { list, next });
  }
  for (const line of list) invocation.terminal.stderr.write(`  ${printable(line)}\n`);
  const removed = 'These queues lose their quotas and guaranteed amounts; their work continues.';
  await confirm(invocation, `${removed} Remove them from partition ${partition}?`, options.yes);
}

const typeOf = ({ format, text }: Applicable): string =>
  format === 'capacity-scheduler' && /^\s*</.test(text) ? 'application/xml' : 'application/yaml';

/** Every partition of a file has the same lines about it. */
function warn(
  invocation: Invocation,
  parts: readonly Part[],
  answers: readonly { warnings: ConfigurationWarning[] }[],
): void {
  const isTable = ['table', 'wide'].includes(invocation.format);
  const texts = answers.flatMap(({ warnings }, index) =>
    warnings
      // The table begins with these.
      .filter((warning) => !isTable || !isOnByDefault(warning))
      .map((warning) => problemText(parts[index]!.file, warning)),
  );
  for (const text of new Set(texts)) invocation.report(`warning: ${text}`);
}
