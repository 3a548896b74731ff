import type { AlternativeOutcome, WhatIf } from '@curtail/api-client';
import { type ConfigurationFormat, didYouMean } from '@curtail/contracts';
import { readApplicable } from '../input/configuration.js';
import { configurationFiles } from '../input/configuration-files.js';
import { assumedDelay, type Proposal, proposalOfFile, proposalOfQuotas } from '../input/proposals.js';
import { readDumpFile } from '../input/state-dump.js';
import { quotaText, type TriedQuota, triedQuotas } from '../input/tried-quotas.js';
import type { Invocation } from '../invocation/invocation.js';
import { print } from '../output/print.js';
import { problemText } from '../output/validation.js';
import { whatIfLines } from '../output/what-if-lines.js';
import { zoneLines } from '../output/zone-lines.js';
import { clientOf } from '../server/client.js';
import { CommandError } from '../terminal/errors.js';
import { type ExitStatus, exitStatus } from '../terminal/terminal.js';
import { foreseeDump, reportDelayToTry, reportOfDump } from './foresee-dump.js';

interface WhatIfOptions {
  /** Files and folders, `-` for standard input. */
  file?: string[];
  format?: ConfigurationFormat;
  allowUnknown?: boolean;
  queue?: string;
  /** Words of quotas: `memory=120G`, or `root.research` before it. */
  max?: string[];
  /** In seconds, for queues that have none. */
  delay?: number;
  /** A state dump to compare with, in the place of a server. */
  statedump?: string;
  allowDifference?: boolean;
  partition: string;
}

type Alternative = { name: string; delaySeconds?: number } & (
  | { configuration: string; format: ConfigurationFormat; allowUnknown: boolean }
  | { quotas: TriedQuota[] }
);

/** What the alternatives come to, and what has been said of them. */
interface Compared {
  answer: WhatIf;
  /** For programs: the answer, and what it was made from. */
  value: unknown;
  report(): void;
}

export async function run(invocation: Invocation, options: WhatIfOptions): Promise<ExitStatus> {
  const given = [options.file, options.queue ?? options.max].filter((one) => one !== undefined);
  if (given.length !== 1) throw new CommandError('give either files with -f, or --queue with --max');
  if (options.queue !== undefined && options.max === undefined) {
    throw new CommandError('--queue needs a limit to try: add --max, such as --max memory=120G');
  }
  if (options.statedump === undefined && options.allowDifference) {
    throw new CommandError('--allow-difference goes with --statedump');
  }
  const compared =
    options.statedump === undefined
      ? await compareLive(invocation, options)
      : await compareInDump(invocation, options.statedump, options);
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

/** Undefined, with all errors printed, if a file is refused here already. */
async function compareLive(invocation: Invocation, options: WhatIfOptions): Promise<Compared | undefined> {
  const alternatives = await alternativesOf(invocation, options);
  if (alternatives === undefined) return undefined;
  const answer = await clientOf(invocation).post('/v1/what-if', {
    body: { partition: options.partition, alternatives },
  });
  const report = () => {
    for (const { name, errors = [], warnings = [] } of answer.alternatives) {
      for (const error of errors) invocation.terminal.stderr.write(`error: ${problemText(name, error)}\n`);
      for (const { path, ...warning } of warnings) {
        const place = options.file === undefined ? invocation.optionOf(path) : path;
        invocation.report(`warning: ${problemText(name, { ...warning, path: place })}`);
      }
    }
    const all = answer.alternatives.flatMap(({ warnings = [] }) => warnings);
    if (options.delay !== undefined) invocation.report(`assumed: ${assumedDelay(options.delay)}`);
    reportDelayToTry(invocation, options.delay, all);
  };
  return { answer, value: answer, report };
}

/** Undefined, with all errors printed, if a file is refused. */
async function compareInDump(
  invocation: Invocation,
  dumpFile: string,
  { file, queue, max = [], ...options }: WhatIfOptions,
): Promise<Compared | undefined> {
  const quotas = triedQuotas(max, queue);
  const dump = await readDumpFile(dumpFile, invocation.terminal, options);
  const proposals: Proposal[] = [];
  if (file === undefined) proposals.push(proposalOfQuotas(quotas, dumpFile, dump, invocation, options));
  let refused = false;
  for (const path of file === undefined ? [] : await configurationFiles(file)) {
    const proposal = await proposalOfFile(path, dump, invocation, options);
    if (proposal === undefined) refused = true;
    else proposals.push(proposal);
  }
  if (refused) return undefined;
  const alternatives: AlternativeOutcome[] = [];
  for (const proposal of proposals) alternatives.push((await foreseeDump(dump, proposal)).outcome);
  const { partition, takenAt: at } = dump.snapshot;
  const answer: WhatIf = { partition, at, mode: 'enforce', alternatives };
  const { differences } = dump;
  return {
    answer,
    value: differences.length > 0 ? { ...answer, differences } : answer,
    report: () =>
      reportOfDump(invocation, dump, proposals, {
        delay: options.delay,
        victims: alternatives.reduce((sum, { victims = 0 }) => sum + victims, 0),
      }),
  };
}

/** Undefined, with all errors printed, if a file is refused here already. */
async function alternativesOf(
  invocation: Invocation,
  { file, format, allowUnknown = false, queue, max = [], delay, partition }: WhatIfOptions,
): Promise<Alternative[] | undefined> {
  const assumed = delay === undefined ? {} : { delaySeconds: delay };
  if (file === undefined) {
    const quotas = triedQuotas(max, queue);
    return [{ name: quotas.map(quotaText).join(', '), quotas, ...assumed }];
  }
  const alternatives: Alternative[] = [];
  let refused = false;
  for (const path of await configurationFiles(file)) {
    const read = await readApplicable(path, invocation, {
      partition,
      allowUnknown,
      ...(format === undefined ? {} : { format }),
    });
    if (read === undefined) refused = true;
    else if (!read.partitions.includes(partition)) {
      throw new CommandError(
        `${path} has no partition ${partition}; it has ${read.partitions.join(', ')}${didYouMean(partition, read.partitions)}`,
      );
    } else {
      const configuration = { configuration: read.text, format: read.format, allowUnknown };
      alternatives.push({ name: path, ...configuration, ...assumed });
    }
  }
  return refused ? undefined : alternatives;
}
