import { isObject } from '#contracts';
import type { SourceConfiguration } from '../port.js';
import type { PoolTree } from './pool-tree.js';

/** The attribute of a tree that gives lowered limits a clock. docs/reference/configuration.md, "Pool trees" */
const delayAttribute = 'curtail_delay';

/** Settings of YTsaurus with which its own scheduler preempts. */
const ownPreemption = {
  code: 'preemption-twice',
  message:
    'YTsaurus\'s own scheduler preempts as well: it and Curtail would both evict. See what to switch off in docs/how-to/ytsaurus.md, "Who preempts".',
  needsAttention: true,
};

/** The configuration of a tree's partition: its attributes, with the delay that YTsaurus has no name for. */
export function makeConfiguration({ printed }: PoolTree, delay: string | undefined): SourceConfiguration {
  const { $attributes, $value } = printed as { $attributes: Record<string, unknown>; $value: unknown };
  const attributes = delay === undefined ? $attributes : { ...$attributes, [delayAttribute]: delay };
  const preempts = schedulerPreempts($attributes.config);
  return {
    by: 'curtail-agent',
    format: 'ytsaurus',
    configuration: { $attributes: attributes, $value },
    ...(preempts && { senderNotices: [ownPreemption] }),
  };
}

/**
 * Whether the scheduler of a tree preempts by itself, as far as its configuration tells: no operation starves there whose timeout is a
 * day or more.
 */
export function schedulerPreempts(config: unknown): boolean {
  if (!isObject(config)) return true;
  const { fair_share_starvation_timeout: timeout, fair_share_preemption_timeout: older } = config as Record<
    string,
    unknown
  >;
  const given = timeout ?? older;
  void given;
  return (config as Record<string, unknown>).enable_preemption !== false;
}
