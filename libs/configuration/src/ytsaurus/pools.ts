import { configurationLimits } from '#contracts';
import { at, describe, type Entry, quoted } from '../field.js';
import type { Problems } from '../problems.js';
import type { Origin } from '../tree.js';
import { type Node, nodeOf } from './node.js';

const poolName = /^[A-Za-z0-9_:-]{1,100}$/;
/** The root's name where a pool is named. */
export const rootNames = ['root', '<Root>'];

/** The top pools of a tree, with those below them: nested, or named by `parent`. docs/reference/policies/fair-share.md §15 */
export function readTopPools(tree: Node, count: { pools: number }, problems: Problems): Pool[] {
  const pools = new Map<string, Pool>();
  collect(tree, undefined, pools, count, problems);
  for (const pool of pools.values()) attach(pool, pools, problems);
  refuseCycles(pools, problems);
  for (const pool of pools.values()) pool.parent?.children.push(pool);
  const tops = [...pools.values()].filter(({ parent }) => parent === undefined);
  refuseDeep(tops, problems);
  return tops;
}

function collect(
  node: Node,
  parent: Pool | undefined,
  pools: Map<string, Pool>,
  count: { pools: number },
  problems: Problems,
): void {
  for (const [name, entry] of node.children) {
    const path = at(node.childrenPath, name);
    if (++count.pools > configurationLimits.queues) {
      if (count.pools === configurationLimits.queues + 1) {
        problems.error(path, `more than ${configurationLimits.queues} pools`, entry.key);
      }
      return;
    }
    const below = nodeOf(entry.value, path, problems, node.isPrinted);
    if (below === undefined) continue;
    const pool: Pool = { name, path, node: below, origin: { path, ...entry.key }, parent, children: [] };
    keep(pool, entry, pools, problems);
    collect(below, pool, pools, count, problems);
  }
}

/** Names are case-insensitive everywhere, so two pools that differ only in case would be indistinguishable. */
function keep(pool: Pool, { key }: Entry, pools: Map<string, Pool>, problems: Problems): void {
  const { name, path } = pool;
  const other = pools.get(name.toLowerCase());
  if (name.toLowerCase() === 'root') {
    problems.error(path, 'root is above all pools; give the pool another name', key);
  } else if (!poolName.test(name)) {
    problems.error(
      path,
      `a pool name has 1 to 100 of the characters A-Z a-z 0-9 _ : -, not ${quoted(name)}`,
      key,
    );
  } else if (other !== undefined) {
    const line = other.origin.line === undefined ? '' : `, on line ${other.origin.line}`;
    problems.error(
      path,
      `the tree has a pool of that name already (${other.path}${line}); case does not count`,
      key,
    );
  } else {
    pools.set(name.toLowerCase(), pool);
  }
}

function attach(pool: Pool, pools: ReadonlyMap<string, Pool>, problems: Problems): void {
  const field = pool.node.attributes.get('parent')?.value;
  if (field === undefined || (field.kind === 'scalar' && field.type === 'null')) return;
  const path = at(pool.node.attributesPath, 'parent');
  if (field.kind !== 'scalar') {
    problems.error(path, `write the name of a pool, not ${describe(field)}`, field);
    return;
  }
  const isTop = rootNames.includes(field.text);
  const parent = isTop ? undefined : pools.get(field.text.toLowerCase());
  if (pool.parent !== undefined) {
    if (parent !== pool.parent) {
      problems.error(path, `the pool is below ${pool.parent.name}; write that, or remove it`, field);
    }
  } else if (!isTop && parent === undefined) {
    problems.error(path, `the tree has no pool ${quoted(field.text)}; name one of its pools`, field);
  } else {
    pool.parent = parent;
  }
}

/** Each cycle is reported once, with its pools; it is cut, so that no reader loops in it. */
function refuseCycles(pools: ReadonlyMap<string, Pool>, problems: Problems): void {
  const settled = new Set<Pool>();
  for (const start of pools.values()) {
    const way: Pool[] = [];
    const onTheWay = new Set<Pool>();
    let pool: Pool | undefined = start;
    while (pool !== undefined && !settled.has(pool) && !onTheWay.has(pool)) {
      way.push(pool);
      onTheWay.add(pool);
      pool = pool.parent;
    }
    if (pool !== undefined && onTheWay.has(pool)) {
      const cycle = way.slice(way.indexOf(pool));
      const field = pool.node.attributes.get('parent')?.value;
      const names = [...cycle, pool].slice(0, 20).map(({ name }) => name);
      problems.error(
        at(pool.node.attributesPath, 'parent'),
        `the pools form a cycle: ${names.join(' -> ')}; remove one parent`,
        field ?? pool.origin,
      );
      pool.parent = undefined;
    }
    for (const seen of way) settled.add(seen);
  }
}

function refuseDeep(tops: readonly Pool[], problems: Problems): void {
  let level = [...tops];
  for (let depth = 1; level.length > 0; depth++) {
    if (depth > configurationLimits.depth) {
      const { path, origin } = level[0] as Pool;
      problems.error(
        path,
        `more than ${configurationLimits.depth} pools below one another; nest less`,
        origin,
      );
      for (const pool of level) pool.children = [];
    }
    level = level.flatMap(({ children }) => children);
  }
}

/** A pool as written, before its place in the tree is known. */
export interface Pool {
  name: string;
  /** Of the pool itself. */
  path: string;
  node: Node;
  origin: Origin;
  /** Undefined for a top pool. */
  parent: Pool | undefined;
  children: Pool[];
}

/** Of a pool with that name below another; names are case-insensitive. */
export const pathBelow = (above: string, name: string): string => `${above}.${name.toLowerCase()}`;
