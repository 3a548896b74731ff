import { inboundLimits } from '#contracts/events';

/** The place of a namespace in the tree: under another one, or directly under root. */
export interface Placement {
  parent: string | undefined;
  /** Why it is not under the namespace of its label. */
  wrong?: { code: 'parent-missing' | 'parent-cycle' | 'parent-too-deep'; message: string };
}

/**
 * Places every namespace under the one that its label names. If the parent does not exist, the parents form a cycle, or the path is too
 * long for reports, the namespace is placed under root.
 *
 * @param named the parent that the label of each namespace names.
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
      const message = `the parents form a cycle: ${path}; remove the label from one of them`;
      places.set(name, { parent: undefined, wrong: { code: 'parent-cycle', message } });
    }
  }
  for (const name of tooDeep(places)) {
    const message = `its path would have more than ${mostLevels} namespaces, or more than ${inboundLimits.queueCharacters} characters: name a parent nearer to the top`;
    places.set(name, { parent: undefined, wrong: { code: 'parent-too-deep', message } });
  }
  return places;
}

/** A configuration is nested twice as deep, and may be nested 200 deep. */
const mostLevels = 50;

/** The namespaces at which a path becomes too long; below them a new path begins. The parents must form no circles. */
function tooDeep(places: ReadonlyMap<string, Placement>): string[] {
  const deep: string[] = [];
  const known = new Map<string, { levels: number; characters: number }>();
  const top = { levels: 0, characters: 'root'.length };
  for (const start of places.keys()) {
    const trail: string[] = [];
    for (
      let at: string | undefined = start;
      at !== undefined && !known.has(at);
      at = places.get(at)?.parent
    ) {
      trail.push(at);
    }
    for (const name of trail.reverse()) {
      const parent = places.get(name)?.parent;
      const below = ({ levels, characters }: typeof top) => {
        return { levels: levels + 1, characters: characters + 1 + name.length };
      };
      const place = below(parent === undefined ? top : known.get(parent)!);
      // Pods of a namespace with others below it are in a leaf of the same name.
      const { characters } = below(place);
      const isTooDeep = place.levels > mostLevels || characters > inboundLimits.queueCharacters;
      if (isTooDeep) deep.push(name);
      known.set(name, isTooDeep ? below(top) : place);
    }
  }
  return deep;
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

const ofTheSystem = ['kube-system', 'kube-public', 'kube-node-lease'];

/**
 * Namespaces whose pods are never evicted: those of the system, Curtail's own, and those that an administrator names.
 *
 * @param own the namespaces of Curtail, as far as known.
 */
export function protectedNamespaces(
  named: readonly string[],
  own: readonly (string | undefined)[],
): ReadonlySet<string> {
  return new Set([...ofTheSystem, ...named, ...own.filter((one) => one !== undefined)]);
}
