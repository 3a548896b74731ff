import type { Protect } from '@curtail/contracts';
import { maxProtectedNames } from '@curtail/contracts';
import { at, describe, isNull } from '../field.js';
import type { Problems } from '../problems.js';
import { mappingOf, type Node } from './node.js';
import { type Pool, pathBelow } from './pool.js';
import { rootNames } from './pools.js';
import { numberThat, type ReadValue } from './values.js';

/** The only attribute that is Curtail's own, of a tree: YTsaurus has nothing like it. */
export const protectAttribute = 'curtail_protect';

const anyNumber = numberThat(() => true, 'a number');

/**
 * Who is never taken in a tree, in the words of YTsaurus: the setting `protect` of fair-share. A pool that the tree does not have
 * is an error, as whoever runs in the one that was meant would be taken. docs/reference/configuration.md, "Who is spared"
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
      const message = `nobody is protected by that; known are ${Object.keys(known).join(', ')}`;
      problems.error(at(path, written), message, key);
    } else if (!isNull(value)) {
      Object.assign(protect, { [part.name]: part.read(value, at(path, written), problems) });
    }
  }
  return protect;
}

/** @param meant what a name stands for; undefined if it stands for nothing, of which `nothing` says what would be right. */
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

/** Pools are named as in their tree; here they are known by their paths. */
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
