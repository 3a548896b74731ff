import type { ConfigurationResult } from '#configuration';
import { configurationLimits, counted, nodeLabelsOf, ofQueue, type Resources } from '#contracts';
import type { ConfigurationWarning, WarningCode } from '#contracts/api';
import { unenforcedDecreases } from '#forecast';
import { type DifferingQueues, differingQueues } from './differing-queues.js';
import { type RunSide, runEnds } from './run-ends.js';
import { similarQueueWarnings } from './similar-names.js';
import { enabledIn, policiesIn, queuesOf, type ReadSubmission } from './submission.js';

/**
 * All warnings for the sender: of the reader, and about what it ends of the configuration `before`. Those of many queues are one warning.
 *
 * @param differing queues of both configurations, without those that are the same.
 */
export function warningsOf(
  result: ReadSubmission,
  partition: string,
  before: RunSide,
  differing: DifferingQueues = differingQueues(before.queues, queuesOf(result, partition)),
): ConfigurationWarning[] {
  const { format, clusterSize, warnings } = result;
  const after = {
    enabled: enabledIn(result, partition),
    queues: queuesOf(result, partition),
    policies: policiesIn(result, partition),
  };
  const hasLabels = nodeLabelsOf(after.queues).length > 0;
  return [
    ...withOneOfEach(warnings),
    ...similarQueueWarnings(differing.before, differing.after),
    ...runEnds({ partition, format, clusterSize }, before, after),
    ...(hasLabels || warnings.some(({ code }) => code === 'nothing-enforced')
      ? []
      : unenforcedDecreases(differing.before, { ...after, queues: differing.after }, clusterSize)),
  ];
}

/** What further warnings of a code say, in the plural. */
const ofManyQueues: Partial<Record<WarningCode, [one: string, many: string]>> = {
  'delay-unusual': ['more delay is unusual', 'more delays are unusual'],
  'guaranteed-equals-max': ['more guaranteed amount equals max', 'more guaranteed amounts equal max'],
};

/** Thousands of queues may have the same delay. The first one stands for all. */
function withOneOfEach(warnings: readonly ConfigurationWarning[]): ConfigurationWarning[] {
  const counts = new Map<WarningCode, number>();
  for (const { code } of warnings) counts.set(code, (counts.get(code) ?? 0) + 1);
  const seen = new Set<WarningCode>();
  return warnings.flatMap((warning) => {
    const words = ofManyQueues[warning.code];
    if (words === undefined) return [warning];
    if (seen.has(warning.code)) return [];
    seen.add(warning.code);
    const further = counts.get(warning.code)! - 1;
    if (further === 0) return [warning];
    const atLeast = warnings.length < configurationLimits.problems ? '' : 'at least ';
    const more = `${atLeast}${counted(further, ...words)}`;
    const message = `${ended(warning.message)} ${more[0]!.toUpperCase()}${more.slice(1)}; curtail validate lists them.`;
    return [{ ...warning, message }];
  });
}

/** Messages of some warnings are sentences, of others parts of them. */
const ended = (text: string): string => (['.', '?'].some((end) => text.endsWith(end)) ? text : `${text}.`);

/** Shares resolve to zero while the size of the cluster is unknown: nothing is limited or guaranteed. */
export function sizeWarnings(
  { queues }: ConfigurationResult,
  clusterSize: Resources,
): ConfigurationWarning[] {
  const first = queues.find(({ clusterShare }) => clusterShare !== undefined);
  if (first === undefined || Object.keys(clusterSize).length > 0) return [];
  const message = 'percentages and weights resolve to zero until nodes of the partition are known';
  return [{ code: 'cluster-size-unknown', path: first.path, message, about: ofQueue(first.path) }];
}
