import type { ConfigurationFormat } from '@curtail/contracts';
import type { Applied, ConfigurationWarning, Preview } from '@curtail/contracts/api';
import { shellWord } from '../called.js';
import { CommandError } from '../errors.js';
import { type Applicable, readApplicable, readYarnSite } from '../input/configuration.js';
import type { Invocation } from '../invocation.js';
import type { AppliedWithClocks } from '../output/applied-lines.js';
import { appliedLines } from '../output/applied-lines.js';
import { nextForWaiting } from '../output/foreseen-lines.js';
import { previewLines } from '../output/preview-lines.js';
import { print } from '../output/print.js';
import { problemText } from '../output/validation.js';
import { placeOf } from '../resources/resource-kind.js';
import { pathOf } from '../server/address.js';
import { type Client, clientOf } from '../server/client.js';
import { clocksAfter } from '../server/clocks-after.js';
import { ServerError } from '../server/server-error.js';
import { type ExitStatus, exitStatus } from '../terminal.js';

interface ApplyOptions {
  file: string;
  dryRun?: boolean;
  partition?: string;
  format?: ConfigurationFormat;
  yarnSite?: string;
}

export async function run(invocation: Invocation, options: ApplyOptions): Promise<ExitStatus> {
  const { terminal } = invocation;
  const read = await readApplicable(options.file, terminal, {
    ...(options.format === undefined ? {} : { format: options.format }),
    ...(options.partition === undefined ? {} : { partition: options.partition }),
    ...(await readYarnSite(options.yarnSite, [options.file], terminal)),
  });
  if (read === undefined) return exitStatus.failed;
  const partitions = chosen(read.partitions, options.partition);
  const client = clientOf(invocation);
  try {
    return options.dryRun
      ? await preview(invocation, client, options, read, partitions)
      : await apply(invocation, client, options, read, partitions);
  } catch (error) {
    // The server also knows the cluster, so it may refuse a file that is correct by itself.
    if (!(error instanceof ServerError) || error.code !== 'configuration-refused') throw error;
    for (const { path = '', message = '', line, column } of error.problem.errors ?? []) {
      invocation.terminal.stderr.write(
        `error: ${problemText(options.file, { path, message, ...(line ? { line } : {}), ...(column ? { column } : {}) })}\n`,
      );
    }
    return exitStatus.failed;
  }
}

/** The named partition of a file, or all. */
function chosen(partitions: readonly string[], wanted: string | undefined): string[] {
  if (wanted === undefined) return [...partitions];
  if (partitions.includes(wanted)) return [wanted];
  throw new CommandError(`the file has no partition ${wanted}; it has ${partitions.join(', ')}`);
}

async function preview(
  invocation: Invocation,
  client: Client,
  options: ApplyOptions,
  read: Applicable,
  partitions: readonly string[],
): Promise<ExitStatus> {
  const { file } = options;
  const previews: Preview[] = [];
  for (const partition of partitions) {
    previews.push(
      await client.send('PUT', addressOf(partition, read, { dryRun: 'true' }), read.text, typeOf(read)),
    );
  }
  await print(invocation, {
    value: previews.length === 1 ? previews[0] : previews,
    table: () => previews.flatMap((one) => previewLines(one, invocation)),
    names: () =>
      previews.flatMap(({ changed, rounds }) => [
        ...changed.flatMap(
          ({ plan }) => plan?.victims.map(({ allocation }) => `allocation/${allocation}`) ?? [],
        ),
        ...rounds.flatMap(({ more }) => more.map((allocation) => `allocation/${allocation}`)),
      ]),
  });
  warn(invocation, file, previews);
  invocation.report('nothing was changed');
  if (previews.some(changesSomething)) invocation.report(`next: put it in force: ${inForce(options)}`);
  for (const next of nextForWaiting(previews)) invocation.report(next);
  return previews.some(({ victims }) => victims > 0) ? exitStatus.wouldEvict : exitStatus.done;
}

/** The command that applies what was previewed. */
function inForce({ file, partition, format, yarnSite }: ApplyOptions): string {
  const words = Object.entries({
    '-f': file,
    '--partition': partition,
    '--format': format,
    '--yarn-site': yarnSite,
  });
  const given = words.flatMap(([option, value]) => (value === undefined ? [] : [option, shellWord(value)]));
  return ['curtail apply', ...given].join(' ');
}

function changesSomething({
  changed,
  removed,
  policyChanges = [],
  propertiesChanged = [],
  ...switches
}: Preview): boolean {
  const { quotaPreemptionEnabled: on, previousQuotaPreemptionEnabled: before } = switches;
  const count = changed.length + removed.length + policyChanges.length + propertiesChanged.length;
  return count > 0 || on !== before;
}

async function apply(
  invocation: Invocation,
  client: Client,
  { file }: ApplyOptions,
  read: Applicable,
  partitions: readonly string[],
): Promise<ExitStatus> {
  const all: AppliedWithClocks[] = [];
  for (const partition of partitions) {
    try {
      const applied = await client.send<Applied>('PUT', addressOf(partition, read), read.text, typeOf(read));
      all.push({ ...applied, clocks: await clocksAfter(client, applied) });
    } catch (error) {
      if (all.length > 0)
        invocation.report(`in force: ${all.map((one) => one.partition).join(', ')}; not ${partition}`);
      throw error;
    }
  }
  await print(invocation, {
    value: all.length === 1 ? all[0] : all,
    table: () => all.flatMap((one) => appliedLines(one, invocation, Date.now())),
    names: () => all.flatMap(({ changed }) => changed.map(({ queue }) => `queue/${queue}`)),
  });
  warn(invocation, file, all);
  const clocks = all.flatMap((one) => one.clocks);
  const due = clocks.some(({ dueAt, suspended }) => dueAt !== null && !suspended);
  const held = clocks.some(({ suspended }) => suspended);
  const switchedOn = all.some(
    (one) => one.quotaPreemptionEnabled && one.previousQuotaPreemptionEnabled === false,
  );
  // The hint names one of several partitions.
  const place = placeOf(all[0] ?? { partition: 'default' });
  invocation.report(
    due || switchedOn
      ? `next: watch the delay run: curtail get timers${place} --watch`
      : held
        ? `next: let the clocks run again: curtail resume${place}`
        : all.some(({ policyChanges = [] }) => policyChanges.some(({ change }) => change === 'starts'))
          ? `next: see what its rounds find: curtail get rounds${place}`
          : `next: see the queues: curtail get queues${place}`,
  );
  return exitStatus.done;
}

/** `queues.yaml` is the default format. */
const addressOf = (partition: string, { format }: Applicable, query: Record<string, string> = {}): string =>
  pathOf(['partitions', partition, 'config'], { ...query, ...(format === 'yunikorn' ? {} : { format }) });

const typeOf = ({ format, text }: Applicable): string =>
  format === 'capacity-scheduler' && /^\s*</.test(text) ? 'application/xml' : 'application/yaml';

/** Every partition of a file has the same lines about it. */
function warn(
  invocation: Invocation,
  file: string,
  answers: readonly { warnings: ConfigurationWarning[] }[],
): void {
  const texts = answers.flatMap(({ warnings }) => warnings.map((warning) => problemText(file, warning)));
  for (const text of new Set(texts)) invocation.report(`warning: ${text}`);
}
