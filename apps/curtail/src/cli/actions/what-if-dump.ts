import type { AlternativeOutcome, WhatIf } from '#api-client';
import type { ConfigurationFormat } from '#contracts';
import { configurationFiles } from '../input/configuration.js';
import { type Proposal, proposalOfFile, proposalOfQuotas } from '../input/proposals.js';
import { readDump } from '../input/state-dump.js';
import { triedQuotas } from '../input/tried-quotas.js';
import type { YarnOptions } from '../input/yarn-cluster.js';
import type { Invocation } from '../invocation/invocation.js';
import { foreseeDump, reportOfDump } from './foresee-dump.js';

export interface WhatIfOptions extends YarnOptions {
  /** Files and folders, `-` for standard input. */
  file?: string[];
  format?: ConfigurationFormat;
  /** Beside each file that is a capacity-scheduler.xml. */
  yarnSite?: string;
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

/** What the alternatives come to, and what has been said of them. */
export interface Compared {
  answer: WhatIf;
  /** For programs: the answer, and what it was made from. */
  value: unknown;
  report(): void;
}

/** Undefined, with all errors printed, if every file is refused. */
export async function compareInDump(
  invocation: Invocation,
  { file, queue, max = [], ...options }: WhatIfOptions,
): Promise<Compared | undefined> {
  const quotas = triedQuotas(max, queue);
  const dump = await readDump(invocation, options);
  const proposals: Proposal[] = [];
  const alternatives: AlternativeOutcome[] = [];
  const add = async (proposal: Proposal) => {
    proposals.push(proposal);
    alternatives.push((await foreseeDump(dump, proposal)).outcome);
  };
  if (file === undefined) await add(proposalOfQuotas(quotas, dump, invocation, options));
  for (const path of file === undefined ? [] : await configurationFiles(file)) {
    const refuse = (errors: AlternativeOutcome['errors']) => alternatives.push({ name: path, errors });
    const proposal = await proposalOfFile(path, dump, invocation, options, refuse);
    if (proposal) await add(proposal);
  }
  if (proposals.length === 0) return undefined;
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
