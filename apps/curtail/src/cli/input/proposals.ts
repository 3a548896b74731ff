import type { QueueOfDump } from '#agents/yunikorn';
import type { ConfigurationResult } from '#configuration';
import { type ConfigurationFormat, didYouMean, InputError } from '#contracts';
import { typeWarnings, unenforcedDecreases, withAssumedDelay, withProposedQuotas } from '#forecast';
import type { Invocation } from '../invocation/invocation.js';
import { allowUnknownStep, assumedDelay, writeErrors } from '../output/validation.js';
import { CommandError } from '../terminal/errors.js';
import { readConfigurationFile } from './configuration.js';
import { assertQueueOfDump, type NamedDump, resourceTypesOf } from './state-dump.js';
import { quotaText, type TriedQuota } from './tried-quotas.js';

/** A configuration to try against a state dump. */
export interface Proposal {
  /** The file, or the quotas. */
  name: string;
  /** Absent for quotas. */
  file?: string;
  queues: QueueOfDump[];
  warnings: ConfigurationResult['warnings'];
  /** What is taken for granted, in words. */
  assumes: string[];
  /** Queues whose runs are shown although they have no delay. */
  withoutDelay: (path: string) => boolean;
}

export interface ProposalOptions {
  partition: string;
  format?: ConfigurationFormat;
  allowUnknown?: boolean;
  /** Of `--delay`, in seconds: for queues that have none. */
  delay?: number;
}

const never = () => false;

/** A dump is of a cluster that an agent can govern. */
const assumedAgent =
  'an agent that takes the configuration from YuniKorn; it enforces lowered quotas without quotapreemptionenabled';

/**
 * A whole configuration. Undefined, with all errors printed, if it is refused.
 *
 * @param onRefused gets these errors, too.
 */
export async function proposalOfFile(
  file: string,
  { snapshot, queues: before, defaults }: NamedDump,
  invocation: Invocation,
  { partition, format, allowUnknown = false, delay }: ProposalOptions,
  onRefused: (errors: ConfigurationResult['errors']) => void = () => {},
): Promise<Proposal | undefined> {
  const { terminal } = invocation;
  const read = await readConfigurationFile(file, terminal, {
    partition,
    allowUnknown,
    guaranteedEqualsMax: 'allow',
    ...(format !== undefined && { format }),
    ...(defaults !== undefined && { defaults }),
    knownResourceTypes: resourceTypesOf(snapshot),
  });
  writeErrors(terminal, file, read.errors);
  if (read.allowUnknownHelps) invocation.report(`next: ${allowUnknownStep}`);
  if (!read.valid) {
    onRefused(read.errors);
    return undefined;
  }
  const isOwn = (name: string) => name.toLowerCase() === partition;
  const names = read.partitions.map(({ name }) => name);
  if (!names.some(isOwn)) {
    throw new CommandError(
      `${file} has no partition ${partition}; it has ${names.join(', ')}${didYouMean(partition, names)}`,
    );
  }
  const queues = read.queues.filter((queue) => isOwn(queue.partition));
  const isOn = read.partitions.some(
    ({ name, quotaPreemptionEnabled }) => isOwn(name) && quotaPreemptionEnabled,
  );
  const isSaid = read.warnings.some(({ code }) => code === 'nothing-enforced');
  const warnings = isSaid ? [] : unenforcedDecreases(before, { enabled: true, queues });
  // With a delay to try, all of it counts as enforced.
  const isTrue = ({ code }: { code: string }) => delay === undefined || code !== 'nothing-enforced';
  return {
    name: file,
    file,
    queues: delay === undefined ? queues : withAssumedDelay(queues, delay * 1000),
    warnings: [...read.warnings, ...warnings].filter(isTrue),
    assumes:
      delay !== undefined
        ? [assumedDelay(delay)]
        : !isOn && queues.some(({ delayMs }) => delayMs > 0)
          ? [assumedAgent]
          : [],
    withoutDelay: never,
  };
}

/** The configuration of the dump with other quotas. A quota alone has no delay: what its run would evict is shown all the same. */
export function proposalOfQuotas(
  quotas: readonly TriedQuota[],
  { name, snapshot, queues: before }: NamedDump,
  invocation: Invocation,
  { delay }: ProposalOptions,
): Proposal {
  for (const { queue } of quotas) {
    assertQueueOfDump(queue, snapshot, name);
    if (!before.some(({ path }) => path === queue)) {
      throw new CommandError(`${queue} is dynamic: no configuration has it, so it has no quota to try`);
    }
  }
  const named = new Set(quotas.map(({ queue }) => queue));
  const isNamed = (path: string) => named.has(path);
  try {
    const queues = withProposedQuotas(before, quotas, 'quotas');
    const types = typeWarnings(before, quotas, resourceTypesOf(snapshot), 'quotas');
    const given = delay === undefined ? queues : withAssumedDelay(queues, delay * 1000, isNamed);
    return {
      name: quotas.map(quotaText).join(', '),
      queues: given,
      warnings: [
        ...types.map(({ path, ...warning }) => ({ ...warning, path: invocation.optionOf(path) })),
        ...unenforcedDecreases(before, { enabled: true, queues: given }),
      ],
      assumes:
        delay !== undefined
          ? [assumedDelay(delay)]
          : given.some(({ path, delayMs }) => isNamed(path) && delayMs === 0)
            ? ['a delay for the queues of --max, which have none']
            : [],
      withoutDelay: isNamed,
    };
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    throw new CommandError(`${invocation.optionOf(error.path)}: ${error.message}`);
  }
}

/** The configuration of the dump as it is: every queue comes down to its max. */
export const proposalOfDump = ({ name, queues }: NamedDump): Proposal => ({
  name,
  queues,
  warnings: [],
  assumes: queues.some(({ max, delayMs }) => max !== null && delayMs === 0)
    ? ['a delay for queues that have none: each comes down to its max in the dump']
    : [],
  withoutDelay: () => true,
});
