import { preemptsByItself } from '#configuration';
import type { SourceConfiguration } from '../port.js';
import type { PoolTree } from './pool-tree.js';

/** The attribute of a tree that gives lowered limits a clock. docs/reference/configuration.md, "Pool trees" */
const delayAttribute = 'curtail_delay';

const ownPreemption = {
  code: 'preemption-twice',
  message:
    'The scheduler of YTsaurus preempts in this tree as well, after its own timeout: it and Curtail would both evict. See "Who preempts" in docs/how-to/ytsaurus.md.',
  needsAttention: true,
};
/** The configuration of a tree's partition: its attributes, with the delay that YTsaurus has no name for. */
export function makeConfiguration({ printed }: PoolTree, delayMs: number | undefined): SourceConfiguration {
  const { $attributes, $value } = printed as { $attributes: Record<string, unknown>; $value: unknown };
  const attributes = delayMs === undefined ? $attributes : { ...$attributes, [delayAttribute]: delayMs };
  const preempts = preemptsByItself($attributes.config);
  return {
    by: 'curtail-agent',
    format: 'ytsaurus',
    configuration: { $attributes: attributes, $value },
    ...(preempts && { senderNotices: [ownPreemption] }),
  };
}
