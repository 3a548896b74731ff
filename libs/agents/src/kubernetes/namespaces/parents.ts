/** Where a namespace stands in the tree: under which other one, or directly under root. */
export interface Placement {
  parent: string | undefined;
  /** Why it is not where its label says. */
  wrong?: { code: 'parent-missing' | 'parent-cycle'; message: string };
}

/**
 * Places every namespace under the one that its label names. A parent that does not exist, and a circle, put it under root.
 *
 * @param named by namespace, the parent that its label names.
 */
export function placeNamespaces(named: ReadonlyMap<string, string | undefined>): Map<string, Placement> {
  const places = new Map<string, Placement>();
  for (const [name, parent] of named) {
    if (parent === undefined) {
      places.set(name, { parent: undefined });
    } else if (!named.has(parent)) {
      const message = `there is no namespace ${JSON.stringify(parent)}: create it, or name one that exists`;
      places.set(name, { parent: undefined, wrong: { code: 'parent-missing', message } });
    } else {
      places.set(name, { parent });
    }
  }
  for (const circle of circlesOf(places)) {
    const path = [...circle, circle[0]].join(' -> ');
    for (const name of circle) {
      const message = `the parents go round in a circle: ${path}; take the label off one of them`;
      places.set(name, { parent: undefined, wrong: { code: 'parent-cycle', message } });
    }
  }
  return places;
}

function circlesOf(places: ReadonlyMap<string, Placement>): string[][] {
  const circles: string[][] = [];
  const done = new Set<string>();
  for (const start of places.keys()) {
    const trail: string[] = [];
    const onTrail = new Map<string, number>();
    for (let at: string | undefined = start; at !== undefined && !done.has(at); at = places.get(at)?.parent) {
      const seen = onTrail.get(at);
      if (seen !== undefined) {
        circles.push(trail.slice(seen));
        break;
      }
      onTrail.set(at, trail.length);
      trail.push(at);
    }
    for (const name of trail) done.add(name);
  }
  return circles;
}
