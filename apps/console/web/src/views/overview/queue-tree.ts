/** A queue of the tree, without its own data. */
export interface TreeRow {
  path: string;
  name: string;
  depth: number;
  children: number;
  isOpen: boolean;
}

/** The children of each path by name; those of '' are the roots. */
export type Tree = ReadonlyMap<string, readonly string[]>;

/** The tree of queues. @param paths of all queues; a missing parent is added. */
export function treeOf(paths: Iterable<string>): Tree {
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

/**
 * The visible rows of a tree of queues, parents before their children, siblings by name.
 *
 * @param open paths whose children are shown.
 * @param find shows queues that contain it, in any case, with all their ancestors, whatever is open.
 */
export function visibleRows(tree: Tree, open: ReadonlySet<string>, find = ''): TreeRow[] {
  const wanted = find === '' ? undefined : withAncestorsOf(tree, find.toLowerCase());
  const rows: TreeRow[] = [];
  const add = (path: string, depth: number) => {
    if (wanted && !wanted.has(path)) return;
    const below = tree.get(path) ?? [];
    const shown = wanted ? below.filter((child) => wanted.has(child)) : below;
    const isOpen = shown.length > 0 && (wanted !== undefined || open.has(path));
    rows.push({ path, name: path.slice(path.lastIndexOf('.') + 1), depth, children: below.length, isOpen });
    if (isOpen) for (const child of shown) add(child, depth + 1);
  };
  for (const top of tree.get('') ?? []) add(top, 0);
  return rows;
}

function withAncestorsOf(tree: Tree, find: string): Set<string> {
  const wanted = new Set<string>();
  for (const siblings of tree.values()) {
    for (const path of siblings) {
      if (!path.toLowerCase().includes(find)) continue;
      for (let above = path; above !== '' && !wanted.has(above); above = parentOf(above)) wanted.add(above);
    }
  }
  return wanted;
}

export const parentOf = (path: string) => path.slice(0, Math.max(0, path.lastIndexOf('.')));

/** What a key does in the tree: another row becomes the active one, or a row opens or closes. */
export type TreeMove = { active: string } | { toggle: string };

/**
 * The keys of a tree: https://www.w3.org/WAI/ARIA/apg/patterns/treeview/#keyboardinteraction
 *
 * @param active the path of the active row; undefined: the first one.
 * @returns undefined for other keys, and where a key does nothing.
 */
export function treeMove(
  rows: readonly TreeRow[],
  active: string | undefined,
  key: string,
): TreeMove | undefined {
  const index = Math.max(
    0,
    rows.findIndex(({ path }) => path === active),
  );
  const row = rows[index];
  if (!row) return undefined;
  const to = (target: TreeRow | undefined): TreeMove | undefined => target && { active: target.path };
  switch (key) {
    case 'ArrowDown':
      return to(rows[index + 1]);
    case 'ArrowUp':
      return to(rows[index - 1]);
    case 'Home':
      return to(rows[0]);
    case 'End':
      return to(rows.at(-1));
    case 'ArrowRight':
      if (row.children === 0) return undefined;
      return row.isOpen ? to(rows[index + 1]) : { toggle: row.path };
    case 'ArrowLeft':
      if (row.isOpen) return { toggle: row.path };
      return to(rows.find(({ path }) => path === parentOf(row.path)));
    default:
      return undefined;
  }
}
