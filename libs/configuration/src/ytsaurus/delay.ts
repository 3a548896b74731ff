import { at, isNull } from '../field.js';
import type { Problems } from '../problems.js';
import type { QueueTree } from '../tree.js';
import type { Node } from './node.js';
import { duration } from './values.js';

export const delayAttribute = 'curtail_delay';

const nanosecondsInMs = 1_000_000n;

/**
 * The delay after which a lowered `resource_limits` is enforced in a tree, for all its pools; undefined: limits hold at once, as in
 * YTsaurus. docs/reference/configuration.md, "Pool trees"
 */
export function readPoolDelay(
  node: Node,
  problems: Problems,
): Pick<QueueTree, 'delay' | 'delayOrigin'> | undefined {
  const field = node.attributes.get(delayAttribute)?.value;
  if (field === undefined || isNull(field)) return undefined;
  const path = at(node.attributesPath, delayAttribute);
  const read = duration(field, path, problems);
  if (typeof read !== 'number' || read === 0) return undefined;
  const ms = BigInt(read);
  return {
    delay: { numerator: ms * nanosecondsInMs, denominator: 1n, ms, bareNumber: false },
    delayOrigin: { path, line: field.line, column: field.column },
  };
}

/** The reasons that are left for fair-share: its own step for limits would not wait for the clock. docs/reference/policies/fair-share.md §3 */
export function delayedReasons(configured: unknown): string[] {
  const reasons = Array.isArray(configured) ? (configured as string[]) : ['starvation', 'overcommit'];
  return reasons.filter((reason) => reason !== 'resource-limits');
}
