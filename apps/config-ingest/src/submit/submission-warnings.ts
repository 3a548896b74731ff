import type { ConfigurationResult } from '@curtail/configuration';
import { configurationLimits, counted, ofQueue, type Resources } from '@curtail/contracts';
import type { ConfigurationWarning } from '@curtail/contracts/api';
import { type EnforcementSide, enforcementEnds } from './enforcement-ends.js';
import { similarQueueWarnings } from './similar-names.js';
import { enabledIn, queuesOf, type ReadSubmission } from './submission.js';

/** All warnings for the sender: of the reader, and about what it ends of the configuration `before`. Unusual delays are one warning. */
export function warningsOf(
  result: ReadSubmission,
  partition: string,
  before: EnforcementSide,
): ConfigurationWarning[] {
  const { format, clusterSize, warnings } = result;
  const after = { enabled: enabledIn(result, partition), queues: queuesOf(result, partition) };
  return [
    ...withOneUnusualDelay(warnings),
    ...similarQueueWarnings(before.queues, after.queues),
    ...enforcementEnds({ partition, format, clusterSize }, before, after),
  ];
}

/** Thousands of queues may have the same delay. The first one stands for all. */
function withOneUnusualDelay(warnings: readonly ConfigurationWarning[]): ConfigurationWarning[] {
  const [first, ...further] = warnings.filter(({ code }) => code === 'delay-unusual');
  if (first === undefined || further.length === 0) return [...warnings];
  const atLeast = warnings.length < configurationLimits.problems ? '' : 'at least ';
  const more = `${atLeast}${counted(further.length, 'more delay is', 'more delays are')} unusual`;
  const message = `${first.message} ${more[0]!.toUpperCase()}${more.slice(1)}; curtail validate lists them.`;
  return warnings.flatMap((warning) => {
    if (warning.code !== 'delay-unusual') return [warning];
    return warning === first ? [{ ...first, message }] : [];
  });
}

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
