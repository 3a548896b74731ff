/** A queue of the tree, without its own data. */
export interface TreeRow {
  path: string;
  name: string;
  depth: number;
  children: number;
  isOpen: boolean;
}

/**
 * The visible rows of a tree of queues, parents before their children, siblings by name.
 *
 * @param paths of all queues; a missing parent is added.
 * @param open paths whose children are shown.
 * @param find shows queues that contain it, in any case, with all their ancestors, whatever is open.
 */
export function visibleRows(paths: Iterable<string>, open: ReadonlySet<string>, find = ''): TreeRow[] {
  const children = childrenOf(paths);
  const wanted = find === '' ? undefined : withAncestorsOf(children, find.toLowerCase());
  const rows: TreeRow[] = [];
  const add = (path: string, depth: number) => {
    if (wanted && !wanted.has(path)) return;
    const below = children.get(path) ?? [];
    const shown = wanted ? below.filter((child) => wanted.has(child)) : below;
    const isOpen = shown.length > 0 && (wanted !== undefined || open.has(path));
    rows.push({ path, name: path.slice(path.lastIndexOf('.') + 1), depth, children: below.length, isOpen });
    if (isOpen) for (const child of shown) add(child, depth + 1);
  };
  for (const top of children.get('') ?? []) add(top, 0);
  return rows;
}

/** The children of each path by name; those of '' are the roots. */
function childrenOf(paths: Iterable<string>): Map<string, string[]> {
  const children = new Map<string, string[]>([['', []]]);
  const known = new Set<string>();
  const add = (path: string): void => {
    if (known.has(path)) return;
    known.add(path);
    const parent = parentOf(path);
    if (parent !== '') add(parent);
    const siblings = children.get(parent);
    if (siblings) siblings.push(path);
    else children.set(parent, [path]);
  };
  for (const path of paths) add(path);
  for (const siblings of children.values()) siblings.sort();
  return children;
}

function withAncestorsOf(children: ReadonlyMap<string, string[]>, find: string): Set<string> {
  const wanted = new Set<string>();
  for (const siblings of children.values()) {
    for (const path of siblings) {
      if (!path.toLowerCase().includes(find)) continue;
      for (let above = path; above !== '' && !wanted.has(above); above = parentOf(above)) wanted.add(above);
    }
  }
  return wanted;
}

const parentOf = (path: string) => path.slice(0, Math.max(0, path.lastIndexOf('.')));
