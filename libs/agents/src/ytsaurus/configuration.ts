import { isObject } from '#contracts';
import type { SourceConfiguration } from '../port.js';
import type { PoolTree } from './pool-tree.js';

/** The attribute of a tree that gives lowered limits a clock. docs/reference/configuration.md, "Pool trees" */
const delayAttribute = 'curtail_delay';

const ownPreemption = {
  code: 'preemption-twice',
  message:
    'The scheduler of YTsaurus preempts as well: an operation starves there after fair_share_starvation_timeout, and it and Curtail would both evict. See "Who preempts" in docs/how-to/ytsaurus.md.',
  needsAttention: true,
};
/** No operation starves for so long. */
const neverMs = 86_400_000;

/** The configuration of a tree's partition: its attributes, with the delay that YTsaurus has no name for. */
export function makeConfiguration({ printed }: PoolTree, delayMs: number | undefined): SourceConfiguration {
  const { $attributes, $value } = printed as { $attributes: Record<string, unknown>; $value: unknown };
  const attributes = delayMs === undefined ? $attributes : { ...$attributes, [delayAttribute]: delayMs };
  const preempts = schedulerPreempts($attributes.config);
  return {
    by: 'curtail-agent',
    format: 'ytsaurus',
    configuration: { $attributes: attributes, $value },
    ...(preempts && { senderNotices: [ownPreemption] }),
  };
}

/** Whether operations starve in a tree by its own configuration, so that its scheduler preempts for them: not with a timeout of a day or more. */
export function schedulerPreempts(config: unknown): boolean {
  if (!isObject(config)) return true;
  const { fair_share_starvation_timeout: timeout, fair_share_preemption_timeout: older } = config as Record<
    string,
    unknown
  >;
  const ms = timeout ?? older;
  return !(typeof ms === 'number' && ms >= neverMs);
}
