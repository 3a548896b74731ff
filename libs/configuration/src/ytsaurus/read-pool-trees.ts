import { at, type Field, isNull, quoted } from '../field.js';
import { checkSettings, configuredPolicies, type PolicySettings } from '../policies.js';
import type { Problems } from '../problems.js';
import {
  type Amount,
  type Amounts,
  bareQueue,
  type Origin,
  type PartitionTree,
  type QueueTree,
} from '../tree.js';
import { attributesOfPool, attributesOfTree } from './attributes.js';
import { checkGuarantees } from './guarantees.js';
import { isPrinted, mappingOf, type Node, nodeOf } from './node.js';
import { type Pool, pathBelow } from './pool.js';
import { readPools } from './pools.js';
import { protectAttribute, readProtect } from './protect.js';
import { readAttributes } from './read-attributes.js';
import { warnOfLongTimeouts } from './timeouts.js';
import { readResources } from './values.js';

const treeName = /^[A-Za-z0-9_:-]{1,64}$/;

/** Pool trees of YTsaurus: each is a partition, its pools are queues. docs/reference/policies/fair-share.md §15 */
export function readPoolTrees(field: Field, problems: Problems): PartitionTree[] {
  const { trees, path } = treesOf(field, problems);
  const seen = new Set<string>();
  const count = { pools: 0 };
  const partitions: PartitionTree[] = [];
  for (const [name, { key, value }] of trees) {
    const treePath = at(path, name);
    if (!treeName.test(name)) {
      problems.error(
        treePath,
        `a tree name has 1 to 64 of the characters A-Z a-z 0-9 _ : -, not ${quoted(name)}`,
        key,
      );
    }
    if (seen.has(name.toLowerCase())) {
      problems.error(treePath, 'a tree of that name already exists; case does not count', key);
    }
    seen.add(name.toLowerCase());
    const node = nodeOf(value, treePath, problems);
    if (node !== undefined)
      partitions.push(readTree(name, node, { path: treePath, ...key }, count, problems));
  }
  if (trees.size === 0 && !problems.any) {
    problems.error('pool_trees', 'a configuration has one tree or more; write them here', field);
  }
  return partitions;
}

/** Below `pool_trees`, or as `yt get //sys/pool_trees` prints them. */
function treesOf(field: Field, problems: Problems) {
  const named = field.kind === 'mapping' ? field.entries.get('pool_trees') : undefined;
  if (named === undefined) {
    if (isPrinted(field)) return printedTrees(field, '', problems);
    return { trees: mappingOf(field, '', problems) ?? new Map(), path: '' };
  }
  for (const [key, entry] of field.kind === 'mapping' ? field.entries : []) {
    if (key !== 'pool_trees') problems.error(at('', key), 'nothing is allowed beside pool_trees', entry.key);
  }
  if (isPrinted(named.value)) return printedTrees(named.value, 'pool_trees', problems);
  return { trees: mappingOf(named.value, 'pool_trees', problems) ?? new Map(), path: 'pool_trees' };
}

/** Attributes of the list of trees do not concern pools. */
function printedTrees(field: Field, path: string, problems: Problems) {
  const node = nodeOf(field, path, problems);
  return { trees: node?.children ?? new Map(), path: node?.childrenPath ?? path };
}

function readTree(
  name: string,
  node: Node,
  origin: Origin,
  count: { pools: number },
  problems: Problems,
): PartitionTree {
  readAttributes(node.attributes, node.attributesPath, {}, ['config', protectAttribute], problems);
  const pools = readPools(node, count, problems);
  const config = readConfig(node, problems);
  const protect = readProtect(node, pools, problems);
  const settings = { ...config, ...(protect && { protect }) };
  const root: QueueTree = {
    ...bareQueue('root', origin),
    parent: true,
    children: pools.map((pool) => readPool(pool, 'root', problems)),
  };
  for (const child of root.children) checkGuarantees(child, problems);
  // Refused settings have no effect.
  if (!problems.any) warnOfLongTimeouts(pools, root.children, settings, problems);
  return {
    ...{ name, origin, root },
    quotaPreemptionEnabled: false,
    isSwitchedOff: false,
    policies: { 'fair-share': settings },
  };
}

function readConfig(node: Node, problems: Problems): PolicySettings {
  const config = node.attributes.get('config')?.value;
  const path = at(node.attributesPath, 'config');
  if (config === undefined || isNull(config)) return {};
  const entries = mappingOf(config, path, problems) ?? new Map();
  const before = problems.count;
  const settings = readAttributes(entries, path, attributesOfTree, [], problems);
  // An unreadable one is left out, and the others may contradict the default that replaces it.
  if (problems.count > before) return {};
  const written = new Map(Object.entries(attributesOfTree).map(([key, { name }]) => [name, key]));
  checkSettings(configuredPolicies.of('fair-share'), settings, problems, (setting) => {
    const key = written.get(setting) ?? setting;
    return { path: at(path, key), place: entries.get(key)?.value ?? config };
  });
  return settings;
}

function readPool({ name, node, origin, children }: Pool, above: string, problems: Problems): QueueTree {
  const path = pathBelow(above, name);
  const amounts = (attribute: string): { amounts: Amounts; origin: Origin } => {
    const field = node.attributes.get(attribute)?.value;
    const place = at(node.attributesPath, attribute);
    if (field === undefined || isNull(field)) return { amounts: new Map(), origin };
    const read = [...readResources(field, place, problems)].map(
      ([type, amount]) =>
        [type, { value: amount.value, origin: placed(amount.path, amount.field) }] satisfies [string, Amount],
    );
    return { amounts: new Map(read), origin: placed(place, field) };
  };
  const [limits, guarantee] = [amounts('resource_limits'), amounts('strong_guarantee_resources')];
  const elsewhere = ['parent', 'resource_limits', 'strong_guarantee_resources'];
  const properties = readAttributes(
    node.attributes,
    node.attributesPath,
    attributesOfPool,
    elsewhere,
    problems,
  );
  if (properties.mode === 'fifo' && children.length > 0) {
    const mode = node.attributes.get('mode')?.value;
    const message = `a fifo pool holds operations only, and ${children[0]?.name} is below it; write fair_share`;
    problems.error(at(node.attributesPath, 'mode'), message, mode ?? origin);
  }
  return {
    ...bareQueue(path, origin),
    max: limits.amounts,
    maxOrigin: limits.origin,
    guaranteed: guarantee.amounts,
    guaranteedOrigin: guarantee.origin,
    ...(Object.keys(properties).length > 0 ? { properties } : {}),
    parent: children.length > 0,
    children: children.map((child) => readPool(child, path, problems)),
  };
}

function placed(path: string, { line, column }: Field): Origin {
  return { path, line, column };
}
