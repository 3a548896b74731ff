import type { AlternativeOutcome } from '#api-client';
import { type ConfigurationFormat, didYouMean } from '#contracts';
import { configurationFiles, readApplicable, readYarnSite } from '../input/configuration.js';
import { isDumpGiven } from '../input/state-dump.js';
import { quotaText, type TriedQuota, triedQuotas } from '../input/tried-quotas.js';
import type { Invocation } from '../invocation/invocation.js';
import { print } from '../output/print.js';
import { zoneLines } from '../output/time.js';
import { assumedDelay, problemText, reportDelayToTry, writeErrors } from '../output/validation.js';
import { whatIfLines } from '../output/what-if-lines.js';
import { clientOf } from '../server/client.js';
import { CommandError } from '../terminal/errors.js';
import { type ExitStatus, exitStatus } from '../terminal/terminal.js';
import type { Compared, WhatIfOptions } from './what-if-dump.js';

type Alternative = { name: string; delaySeconds?: number } & (
  | { configuration: string; format: ConfigurationFormat; allowUnknown: boolean }
  | { quotas: TriedQuota[] }
);
/** A file that is refused here already; its errors are printed. */
type Refused = Pick<AlternativeOutcome, 'name' | 'errors'>;

export async function run(
  invocation: Invocation,
  named: readonly string[] = [],
  { file = [], ...others }: WhatIfOptions,
): Promise<ExitStatus> {
  const files = [...named, ...file];
  const options: WhatIfOptions = files.length === 0 ? others : { ...others, file: files };
  const given = [options.file, options.queue ?? options.max].filter((one) => one !== undefined);
  if (given.length !== 1) throw new CommandError('give either files, or --queue with --max');
  if (options.yarnSite !== undefined && (options.file === undefined || isDumpGiven(options))) {
    throw new CommandError('--yarn-site goes with a capacity-scheduler.xml; leave it out here');
  }
  if (options.queue !== undefined && options.max === undefined) {
    throw new CommandError('--queue needs a limit to try: add --max, such as --max memory=120G');
  }
  if (!isDumpGiven(options)) {
    const needsState = (name: string) =>
      new CommandError(`${name} goes with --statedump, --yarn-url or --yarn-answers`);
    if (options.allowDifference) throw needsState('--allow-difference');
    if (options.yarnUser !== undefined) throw needsState('--yarn-user');
    if (options.yarnSettings !== undefined) throw needsState('--yarn-settings');
  }
  const compared = await compare(invocation, options);
  if (compared === undefined) return exitStatus.failed;
  const { answer, value, report } = compared;
  await print(invocation, {
    value,
    table: () => {
      const lines = whatIfLines(answer, invocation);
      return [...lines, ...zoneLines(lines, invocation)];
    },
    names: () => answer.alternatives.map(({ name }) => `alternative/${name}`),
  });
  report();
  invocation.report('nothing was changed');
  if (answer.alternatives.some(({ errors }) => errors !== undefined)) return exitStatus.failed;
  return answer.alternatives.some(({ victims = 0 }) => victims > 0) ? exitStatus.wouldEvict : exitStatus.done;
}

async function compare(invocation: Invocation, options: WhatIfOptions): Promise<Compared | undefined> {
  if (!isDumpGiven(options)) return compareLive(invocation, options);
  // What a server has loaded already.
  const { compareInDump } = await import('./what-if-dump.js');
  return compareInDump(invocation, options);
}

/** Undefined, with all errors printed, if every file is refused here already. */
async function compareLive(invocation: Invocation, options: WhatIfOptions): Promise<Compared | undefined> {
  const given = await alternativesOf(invocation, options);
  const alternatives = given.filter((one): one is Alternative => !('errors' in one));
  if (alternatives.length === 0) return undefined;
  const compared = await clientOf(invocation).post('/v1/what-if', {
    body: { partition: options.partition, alternatives },
  });
  const report = () => {
    for (const { name, errors = [], warnings = [] } of compared.alternatives) {
      writeErrors(invocation.terminal, name, errors);
      for (const { path, ...warning } of warnings) {
        const place = options.file === undefined ? invocation.optionOf(path) : path;
        invocation.report(`warning: ${problemText(name, { ...warning, path: place })}`);
      }
    }
    const all = compared.alternatives.flatMap(({ warnings = [] }) => warnings);
    if (options.delay !== undefined) invocation.report(`assumed: ${assumedDelay(options.delay)}`);
    reportDelayToTry(invocation, options.delay, all);
  };
  const outcomes = compared.alternatives.values();
  const inOrder = given.flatMap((one) => ('errors' in one ? one : (outcomes.next().value ?? [])));
  const answer = { ...compared, alternatives: inOrder };
  return { answer, value: answer, report };
}

async function alternativesOf(
  invocation: Invocation,
  { file, format, yarnSite, allowUnknown = false, queue, max = [], delay, partition }: WhatIfOptions,
): Promise<(Alternative | Refused)[]> {
  const assumed = delay === undefined ? {} : { delaySeconds: delay };
  if (file === undefined) {
    const quotas = triedQuotas(max, queue);
    return [{ name: quotas.map(quotaText).join(', '), quotas, ...assumed }];
  }
  const alternatives: (Alternative | Refused)[] = [];
  const files = await configurationFiles(file);
  const beside = await readYarnSite(yarnSite, files, invocation.terminal);
  for (const path of files) {
    const read = await readApplicable(
      path,
      invocation,
      { partition, allowUnknown, ...beside, ...(format === undefined ? {} : { format }) },
      (errors) => alternatives.push({ name: path, errors }),
    );
    if (read === undefined) continue;
    if (!read.partitions.includes(partition)) {
      throw new CommandError(
        `${path} has no partition ${partition}; it has ${read.partitions.join(', ')}${didYouMean(partition, read.partitions)}`,
      );
    }
    const configuration = { configuration: read.text, format: read.format, allowUnknown };
    alternatives.push({ name: path, ...configuration, ...assumed });
  }
  return alternatives;
}
