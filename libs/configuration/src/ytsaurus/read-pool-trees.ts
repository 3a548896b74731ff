import { at, type Entry, type Field, isNull, quoted } from '../field.js';
import { checkSettings, configuredPolicies, type PolicySettings } from '../policies.js';
import type { Problems } from '../problems.js';
import { bareQueue, type Origin, type PartitionTree, type QueueTree } from '../tree.js';
import {
  type AttributeValues,
  attributesOfCurtail,
  attributesOfPool,
  attributesOfTree,
  limitsOfPool,
  readAttributes,
} from './attributes.js';
import { delayedReasons, readPoolDelay } from './delay.js';
import { checkGuarantees, readPoolLimits } from './limits.js';
import { type Node, nodeOf } from './node.js';
import { type Pool, pathBelow, readTopPools } from './pools.js';
import { readProtect } from './protect.js';
import { warnOfLongTimeouts } from './timeouts.js';
import { treesIn } from './trees.js';
import { mappingOf } from './values.js';

const treeName = /^[A-Za-z0-9_:-]{1,64}$/;

/**
 * Pool trees of YTsaurus: each is a partition, its pools are queues. docs/reference/policies/fair-share.md §15
 *
 * @param partition the name of a single tree without one.
 * @param isYson whether YTsaurus printed all of it.
 */
export function readPoolTrees(
  field: Field,
  { partition, isYson = false }: { partition: string; isYson?: boolean },
  problems: Problems,
): PartitionTree[] {
  const trees = treesIn(field, partition, isYson, problems);
  const seen = new Set<string>();
  const count = { pools: 0 };
  const partitions: PartitionTree[] = [];
  for (const { name, value, key, path, isPrinted, isUnnamed } of trees) {
    if (!isUnnamed && !treeName.test(name)) {
      problems.error(
        path,
        `a tree name has 1 to 64 of the characters A-Z a-z 0-9 _ : -, not ${quoted(name)}`,
        key,
      );
    }
    if (seen.has(name.toLowerCase())) {
      problems.error(path, 'a tree of that name already exists; case does not count', key);
    }
    seen.add(name.toLowerCase());
    const node = nodeOf(value, path, problems, isPrinted);
    if (node !== undefined) partitions.push(readTree(name, node, { path, ...key }, count, problems));
  }
  if (trees.length === 0 && !problems.any) {
    problems.error('pool_trees', 'a configuration has one tree or more; write them here', field);
  }
  return partitions;
}

function readTree(
  name: string,
  node: Node,
  origin: Origin,
  count: { pools: number },
  problems: Problems,
): PartitionTree {
  readAttributes(node.attributes, node.attributesPath, {}, ['config', ...attributesOfCurtail], problems);
  const pools = readTopPools(node, count, problems);
  const config = readConfig(node, problems);
  const protect = readProtect(node, pools, problems);
  const delay = readPoolDelay(node, problems);
  const settings = {
    ...config,
    ...(protect && { protect }),
    ...(delay && { reasons: delayedReasons(config.reasons) }),
  };
  const root: QueueTree = {
    ...bareQueue('root', origin),
    ...delay,
    parent: true,
    children: pools.map((pool) => readPool(pool, 'root', problems)),
  };
  for (const child of root.children) checkGuarantees(child, problems);
  // Refused settings have no effect.
  if (!problems.any) warnOfLongTimeouts(pools, root.children, settings, problems);
  return {
    name,
    origin,
    root,
    quotaPreemptionEnabled: delay !== undefined,
    isSwitchedOff: false,
    policies: { 'fair-share': settings },
  };
}

/** The settings of `config`, with those of `curtail_config` in their place. */
function readConfig(node: Node, problems: Problems): PolicySettings {
  const before = problems.count;
  const parts = ['config', 'curtail_config'].flatMap((name) => {
    const config = node.attributes.get(name)?.value;
    if (config === undefined || isNull(config)) return [];
    const path = at(node.attributesPath, name);
    const entries = mappingOf(config, path, problems) ?? new Map<string, Entry>();
    return [{ config, path, entries }];
  });
  const read = parts.map(({ entries, path }) =>
    withSafeSlots(readAttributes(entries, path, attributesOfTree, [], problems)),
  );
  const settings: AttributeValues = Object.assign({}, ...read);
  // An unreadable one is left out, and the others may contradict the default that replaces it.
  if (problems.count > before || parts.length === 0) return {};
  const written = new Map(Object.entries(attributesOfTree).map(([key, { name }]) => [name, key]));
  checkSettings(configuredPolicies.of('fair-share'), settings, problems, (setting) => {
    const key = written.get(setting) ?? setting;
    const { path, entries, config } = parts.findLast((part) => part.entries.has(key)) ?? parts[0]!;
    return { path: at(path, key), place: entries.get(key)?.value ?? config };
  });
  return settings;
}

/** YTsaurus keeps so many allocations of an operation, unless the threshold has user slots of its own. */
function withSafeSlots({
  maxUnpreemptibleRunningAllocationCount: pods,
  ...settings
}: AttributeValues): AttributeValues {
  if (pods === undefined) return settings;
  const threshold = settings.nonPreemptibleResourceUsageThreshold as Record<string, number> | undefined;
  return { ...settings, nonPreemptibleResourceUsageThreshold: { pods, ...threshold } };
}

function readPool({ name, node, origin, children }: Pool, above: string, problems: Problems): QueueTree {
  const path = pathBelow(above, name);
  const properties = readAttributes(
    node.attributes,
    node.attributesPath,
    attributesOfPool,
    ['parent', ...limitsOfPool],
    problems,
  );
  if (properties.mode === 'fifo' && children.length > 0) {
    const mode = node.attributes.get('mode')?.value;
    const message = `a fifo pool holds operations only, and ${children[0]?.name} is below it; write fair_share`;
    problems.error(at(node.attributesPath, 'mode'), message, mode ?? origin);
  }
  return {
    ...bareQueue(path, origin),
    ...readPoolLimits(node, origin, problems),
    ...(Object.keys(properties).length > 0 ? { properties } : {}),
    parent: children.length > 0,
    children: children.map((child) => readPool(child, path, problems)),
  };
}
