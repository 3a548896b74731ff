import { maxProtectedNames, type Protect } from '#contracts';
import { at, describe, isNull } from '../field.js';
import type { Problems } from '../problems.js';
import type { Node } from './node.js';
import { type Pool, pathBelow, rootNames } from './pools.js';
import { mappingOf, numberThat, type ReadValue } from './values.js';

export const protectAttribute = 'curtail_protect';

const anyNumber = numberThat(() => true, 'a number');

/**
 * Allocations that are never evicted in a tree, in YTsaurus's terms: the setting `protect` of fair-share. A pool that the tree does not have
 * is an error, since allocations in the intended pool could be evicted. docs/reference/configuration.md, "Who is spared"
 *
 * @param pools the top ones.
 */
export function readProtect(node: Node, pools: readonly Pool[], problems: Problems): Protect | undefined {
  const field = node.attributes.get(protectAttribute)?.value;
  if (field === undefined || isNull(field)) return undefined;
  const paths = pathsOf(pools);
  const poolNames = listOfNames(
    (name) => (rootNames.includes(name) ? 'root' : paths.get(name.toLowerCase())),
    'write a pool that the tree has',
  );
  const names = listOfNames((name) => name, '');
  const known: Record<string, { name: keyof Protect; read: ReadValue }> = {
    pools: { name: 'queues', read: poolNames },
    operations: { name: 'applications', read: names },
    users: { name: 'users', read: names },
    allocations: { name: 'allocations', read: names },
    priority_at_least: { name: 'priorityAtLeast', read: anyNumber },
  };
  const path = at(node.attributesPath, protectAttribute);
  const protect: Protect = {};
  for (const [written, { key, value }] of mappingOf(field, path, problems) ?? []) {
    const part = Object.hasOwn(known, written) ? known[written] : undefined;
    if (part === undefined) {
      const message = `protects nothing; known are ${Object.keys(known).join(', ')}`;
      problems.error(at(path, written), message, key);
    } else if (!isNull(value)) {
      Object.assign(protect, { [part.name]: part.read(value, at(path, written), problems) });
    }
  }
  return protect;
}

/** @param meant resolves a name; undefined for an unknown one, for which `nothing` describes the expected names. */
function listOfNames(meant: (name: string) => string | undefined, nothing: string): ReadValue {
  return (field, path, problems) => {
    const items = field.kind === 'list' ? field.items : undefined;
    if (items === undefined || items.length > maxProtectedNames) {
      const found = items === undefined ? describe(field) : `${items.length} entries`;
      problems.error(path, `write a list of at most ${maxProtectedNames} names, not ${found}`, field);
      return undefined;
    }
    return items.flatMap((item, i) => {
      const isName = item.kind === 'scalar' && item.type === 'text' && item.text !== '';
      const found = isName ? meant(item.text) : undefined;
      if (found !== undefined) return [found];
      const message = isName ? nothing : 'write a name, digits in quotes';
      problems.error(`${path}[${i}]`, `${message}, not ${describe(item)}`, item);
      return [];
    });
  };
}

/** Pools are named as in their tree; Curtail uses their paths. */
function pathsOf(
  pools: readonly Pool[],
  above = 'root',
  paths = new Map<string, string>(),
): Map<string, string> {
  for (const { name, children } of pools) {
    const path = pathBelow(above, name);
    paths.set(name.toLowerCase(), path);
    pathsOf(children, path, paths);
  }
  return paths;
}
