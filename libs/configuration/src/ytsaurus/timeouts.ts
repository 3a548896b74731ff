import { readFairShareSettings } from '#contracts';
import { at } from '../field.js';
import type { PolicySettings } from '../policies.js';
import type { Problems } from '../problems.js';
import type { QueueTree } from '../tree.js';
import type { Pool } from './pools.js';

/** Of today and of older versions. */
const names = ['fair_share_starvation_timeout', 'fair_share_preemption_timeout'] as const;

/** The pool that set the timeout; undefined if the tree did. */
interface Inherited {
  timeoutMs: number;
  setBy: Pool | undefined;
  isAggressive: boolean;
}

/**
 * A pool may have a timeout above the aggressive one, which only trees have. With aggressive starvation enabled, an element
 * below its fair share for the aggressive timeout then starves aggressively at once, before its own timeout. One warning
 * for each timeout, at its field. docs/reference/policies/fair-share.md §8.1
 *
 * @param queues what `pools` were read as.
 */
export function warnOfLongTimeouts(
  pools: readonly Pool[],
  queues: readonly QueueTree[],
  config: PolicySettings,
  problems: Problems,
): void {
  const tree = readFairShareSettings(config);
  const aggressiveMs = tree.fairShareAggressiveStarvationTimeout;
  const found = new Map<Pool, { timeoutMs: number; below: string }>();
  const check = (some: readonly Pool[], read: readonly QueueTree[], above: Inherited): void => {
    some.forEach((pool, i) => {
      const { path, properties = {}, children } = read[i] as QueueTree;
      const own = properties.fairShareStarvationTimeout;
      const enabled = properties.enableAggressiveStarvation;
      const here = {
        ...(typeof own === 'number' ? { timeoutMs: own, setBy: pool } : above),
        isAggressive: typeof enabled === 'boolean' ? enabled : above.isAggressive,
      };
      const { timeoutMs, setBy } = here;
      if (setBy && here.isAggressive && timeoutMs > aggressiveMs && !found.has(setBy)) {
        found.set(setBy, { timeoutMs, below: path });
      }
      check(pool.children, children, here);
    });
  };
  check(pools, queues, {
    timeoutMs: tree.fairShareStarvationTimeout,
    setBy: undefined,
    isAggressive: tree.enableAggressiveStarvation,
  });
  for (const [{ node }, { timeoutMs, below }] of found) {
    const name = names.find((written) => node.attributes.has(written)) ?? names[0];
    problems.warning(
      'aggressive-at-once',
      at(node.attributesPath, name),
      `${timeoutMs} ms is above fair_share_aggressive_starvation_timeout of the tree, ${aggressiveMs} ms: ${below} starves aggressively as soon as it starves, after ${aggressiveMs} ms; raise that of the tree, or lower this one`,
      node.attributes.get(name)?.value ?? node.place,
    );
  }
}
